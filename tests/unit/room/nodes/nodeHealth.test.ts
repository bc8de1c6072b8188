import { createNodeHealth } from '#core/room/nodes/nodeHealth'
import type { ProbeNode } from '#core/room/ports'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('the health of shared nodes')

const NODES = [
  'tcp://good.example:11010',
  'udp://[::1]:11011',
  'https://other.example:443/list',
  'ws://bad.example:80',
]

const probe: ProbeNode = async (url) => {
  if (url.includes('good')) return { latencyMs: 12, isSharedNode: true }
  if (url.includes('other')) return { latencyMs: 5, isSharedNode: false }
  if (url.includes('bad')) throw new Error('/home/me: a probe that throws')
  return { problem: 'no answer' }
}

test('each node is told with its place, state, latency and problem', async () => {
  const check = createNodeHealth({ probe, clock: createFakeClock() })
  assert.equal(await Promise.all(NODES.map(check)), [
    { hostname: 'good.example', port: 11010, protocol: 'tcp', status: 'ok', latencyMs: 12, problem: null },
    {
      hostname: '::1',
      port: 11011,
      protocol: 'udp',
      status: 'failed',
      latencyMs: null,
      problem: 'no answer',
    },
    {
      hostname: 'other.example',
      port: 443,
      protocol: 'https',
      status: 'ok',
      latencyMs: 5,
      problem: 'not a shared node',
    },
    {
      hostname: 'bad.example',
      port: 80,
      protocol: 'ws',
      status: 'failed',
      latencyMs: null,
      problem: 'the check failed',
    },
  ])
})

test('nodes are asked side by side, with a limit, at most once a minute', async () => {
  const clock = createFakeClock()
  const asked: [string, number][] = []
  let answer = () => {}
  const check = createNodeHealth({
    clock,
    probe: (url, limitMs) => {
      asked.push([url, limitMs])
      return new Promise((resolve) => {
        const before = answer
        answer = () => {
          before()
          resolve({ latencyMs: 1, isSharedNode: true })
        }
      })
    },
  })
  const health = () => Promise.all(NODES.slice(0, 2).map(check))
  const both = [health(), health()]
  assert.equal(asked, [
    [NODES[0], 3000],
    [NODES[1], 3000],
  ])
  answer()
  await Promise.all(both)
  await clock.advance(59_999)
  await health()
  assert.is(asked.length, 2)
  await clock.advance(1)
  const next = health()
  assert.is(asked.length, 4)
  answer()
  await next
})

test.run()
