import { createNodeHealth } from '#internal/room/nodes/nodeHealth'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('the health of shared nodes')

const NODES = ['tcp://good.example:11010', 'udp://[::1]:11011']

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
  const health = () => Promise.all(NODES.map(check))
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
