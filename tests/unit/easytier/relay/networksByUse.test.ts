import { createNetworksByUse, QUIET_MS } from '#core/easytier/relay/networksByUse'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('relay: networks by their use')

test('the one that was unused for longest is the quietest, once it was for a minute', async () => {
  const clock = createFakeClock()
  const networks = createNetworksByUse<number>(clock)
  assert.is(networks.quietest(), undefined)
  networks.set('a', 1)
  await clock.advance(2000)
  networks.set('b', 2)
  await clock.advance(2000)
  networks.noteUse('a')
  await clock.advance(QUIET_MS - 2001)
  assert.is(networks.quietest(), undefined)
  await clock.advance(1)
  assert.equal(networks.quietest(), { key: 'b', network: 2 })
  networks.delete('b')
  assert.is(networks.quietest(), undefined)
  await clock.advance(2000)
  assert.equal(networks.quietest(), { key: 'a', network: 1 })
})

test('an unknown one is not noted', () => {
  const networks = createNetworksByUse<number>(createFakeClock())
  networks.noteUse('gone')
  assert.is(networks.size, 0)
})

test.run()
