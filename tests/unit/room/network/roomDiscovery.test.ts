import * as assert from 'uvu/assert'
import { openMemberNetwork, type RoomNetworkOptions } from '#core/room/network/memberNetwork'
import { hostName } from '#core/room/network/members'
import { discoverRoom } from '#core/room/network/roomDiscovery'
import { createFakeClock } from '#support/network/fakeClock'
import { silentLog } from '#support/room/openRoom'
import { suite } from '#support/runner/suite'
import { createPrng } from '#support/values/prng'
import { createVirtualNet } from '#support/virtualNet/virtualNet'

const test = suite('room: the search for the host of a code')

const ROOM = { text: 'U/1111-1111-1111-1111', networkName: 'open', networkSecret: '1111-1111' }
const IDENTITIES = {
  open: { name: ROOM.networkName, secret: ROOM.networkSecret },
  private: { name: 'private', secret: 'derived' },
} as const

for (const privacy of ['open', 'private'] as const) {
  test(`finds the host of a room that is ${privacy}, and closes the other network`, async () => {
    const { clock, net, options, search, openHost } = setUp()
    const host = await openHost(privacy)
    const { result, steps, stop } = search()
    await clock.advance(3000)
    const found = await result
    assert.ok(!(found instanceof Error))
    assert.is(found.privacy, privacy)
    assert.equal(
      found.member.network.peers().map(({ record }) => record.hostname),
      [hostName(13_448)],
    )
    assert.is(steps[0], 'connecting-nodes')
    await found.searchClosed
    assert.is(
      net
        .leaks()
        .join()
        .match(/UDP sockets/g)?.length,
      2,
      'one network here, and the host',
    )
    stop()
    await found.member.close(new Error('left'))
    await host.close(new Error('closed'))
    await options.clock.advance(1000)
    assert.equal([net.leaks(), clock.timers], [[], 0])
  })
}

test('without nodes and a host the search ends after 8 s, and nothing stays open', async () => {
  const { clock, net, search } = setUp()
  const { result, steps } = search()
  await clock.advance(9000)
  const failure = await result
  assert.is('code' in failure && failure.code, 'host-not-found')
  assert.equal(steps, ['connecting-nodes'])
  assert.equal([net.leaks(), clock.timers], [[], 0])
})

test('a private identity that cannot be computed leaves the open search alone', async () => {
  const { clock, search, openHost } = setUp(() => Promise.reject(new Error('no thread')))
  const host = await openHost('open')
  const { result } = search()
  await clock.advance(3000)
  const found = await result
  assert.ok(!(found instanceof Error))
  assert.is(found.privacy, 'open')
  await found.member.close(new Error('left'))
  await host.close(new Error('closed'))
})

test('the signal ends the search with its reason', async () => {
  const { clock, net, search } = setUp()
  const { result, stop } = search()
  await clock.advance(1000)
  stop()
  assert.is(String(await result), 'Error: stopped')
  await clock.advance(1000)
  assert.equal([net.leaks(), clock.timers], [[], 0])
})

test.run()

function setUp(privateIdentity = async () => IDENTITIES.private as { name: string; secret: string }) {
  const clock = createFakeClock()
  const random = createPrng(1)
  const net = createVirtualNet({ clock, random: random.fork('net').next })
  const house = net.house({ publicAddress: '20.0.0.1', nat: 'cone' })
  const newOptions = (name: string) => {
    const options: RoomNetworkOptions = {
      transports: house.machine().transports,
      nodes: [],
      stunServers: [],
      isDirect: true,
      clock,
      randomBytes: random.fork(name).bytes,
      log: silentLog(),
      version: '0',
      privateIdentity,
    }
    return { ...options, clock }
  }
  const options = newOptions('guest')
  return {
    clock,
    net,
    options,
    search() {
      const controller = new AbortController()
      const steps: string[] = []
      const result = discoverRoom(options, {
        room: ROOM,
        onStep: (step) => void steps.push(step),
        signal: controller.signal,
      }).catch((error: unknown) => error as Error)
      return { result, steps, stop: () => controller.abort(new Error('stopped')) }
    },
    openHost: (privacy: 'open' | 'private') =>
      openMemberNetwork(newOptions('host'), {
        identity: IDENTITIES[privacy],
        isHost: true,
        hostname: hostName(13_448),
        address: '10.144.144.1',
        signal: new AbortController().signal,
        acceptsTcp: () => false,
        acceptsUdp: () => false,
        onStream: (stream) => stream.destroy(),
        onFlow: (flow) => flow.close(),
        wantsDirect: () => true,
        onChange() {},
      }),
  }
}
