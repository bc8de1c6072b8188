import { createRelayTrust } from '#internal/easytier/peer/routing/relayTrust'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('the trust in a member that relays', { setUp })

const [FRIEND, OTHER, HOST, STEVE] = [1, 2, 3, 4]

function setUp() {
  const clock = createFakeClock()
  const trust = createRelayTrust(clock)
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 500) {
      await clock.advance(Math.min(left, 500))
      trust.update()
    }
  }
  return { trust, pass }
}

test('a call without an answer in three seconds ends it for half a minute, and for nobody else', async () => {
  const { trust, pass } = setUp()
  trust.noteCall(HOST, FRIEND)
  trust.noteCall(STEVE, OTHER)
  await pass(1000)
  trust.noteHeard(STEVE)
  trust.noteCall(HOST, FRIEND)
  await pass(1500)
  assert.is(trust.isTrusted(FRIEND), true)
  await pass(500)
  assert.equal([trust.isTrusted(FRIEND), trust.isTrusted(OTHER)], [false, true])
  await pass(29_500)
  assert.is(trust.isTrusted(FRIEND), false)
  await pass(500)
  assert.is(trust.isTrusted(FRIEND), true)
})

test('anything that comes from the peer is an answer', async ({ trust, pass }) => {
  for (let round = 0; round < 10; round += 1) {
    trust.noteCall(HOST, FRIEND)
    await pass(2500)
    trust.noteHeard(HOST)
  }
  assert.is(trust.isTrusted(FRIEND), true)
})

test('what waits for another way is not blamed on the one before', async ({ trust, pass }) => {
  trust.noteCall(HOST, FRIEND)
  await pass(2500)
  trust.noteCall(HOST, OTHER)
  await pass(2500)
  trust.noteHeard(HOST)
  await pass(5000)
  assert.equal([trust.isTrusted(FRIEND), trust.isTrusted(OTHER)], [true, true])
})

test('each time is twice as long as the one before, until ten minutes have gone well', async () => {
  const { trust, pass } = setUp()
  const distrustedMs = async () => {
    trust.noteCall(HOST, FRIEND)
    await pass(3000)
    let ms = 0
    for (; !trust.isTrusted(FRIEND); ms += 500) await pass(500)
    return ms
  }
  for (const wanted of [30_000, 60_000, 120_000]) assert.is(await distrustedMs(), wanted)
  await pass(600_500)
  assert.is(await distrustedMs(), 30_000)
})

test.run()
