import { chooseNodes } from '#internal/room/nodes/chooseNodes'
import type { NodeHealth } from '#internal/room/nodes/nodeHealth'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('the shared nodes of a room that is opened')

const AT = { hostname: 'h', port: 1, protocol: 'tcp' }
const OK: NodeHealth = { ...AT, status: 'ok', latencyMs: 1, problem: null }
const DEAD: NodeHealth = { ...AT, status: 'failed', latencyMs: null, problem: 'refused' }

/** @param answers by node; `silent` nodes never answer. @returns the choice, and when it was made */
async function choose(answers: Readonly<Record<string, NodeHealth | 'silent'>>) {
  const clock = createFakeClock()
  const asked: string[] = []
  const check = (url: string) => {
    asked.push(url)
    const answer = answers[url]
    return new Promise<NodeHealth>((resolve) => {
      if (answer !== undefined && answer !== 'silent') resolve(answer)
    })
  }
  const choosing = chooseNodes(Object.keys(answers), { check, clock }).then((choice) => ({
    ...choice,
    at: clock.now(),
  }))
  await clock.advance(1500)
  return { ...(await choosing), asked }
}

test('all that live are used, at once', async () => {
  const { used, skipped, at } = await choose({ 'tcp://a:1': OK, 'udp://b:2': OK })
  assert.equal([used, skipped, at], [['tcp://a:1', 'udp://b:2'], [], 0])
})

test('a dead node is left out as soon as all have answered', async () => {
  const { used, skipped, at } = await choose({ 'tcp://a:1': DEAD, 'udp://b:2': OK })
  assert.equal([used, skipped, at], [['udp://b:2'], [{ url: 'tcp://a:1', problem: 'refused' }], 0])
})

test('a silent node is dead after 1.5 s, a list may be slower', async () => {
  const list = 'https://c:443/list'
  const { used, skipped, at } = await choose({ 'tcp://a:1': 'silent', 'udp://b:2': OK, [list]: 'silent' })
  assert.equal([used, skipped, at], [['udp://b:2', list], [{ url: 'tcp://a:1', problem: 'no answer' }], 1500])
})

test('when none lives, all are used', async () => {
  const { used, skipped } = await choose({ 'tcp://a:1': DEAD, 'udp://b:2': 'silent' })
  assert.equal([used, skipped], [['tcp://a:1', 'udp://b:2'], []])
})

test('a single node is not measured', async () => {
  assert.equal(await choose({ 'tcp://a:1': DEAD }), { used: ['tcp://a:1'], skipped: [], at: 0, asked: [] })
  assert.equal((await choose({})).used, [])
})

test.run()
