import {
  createDirectConnections,
  type DirectConnections,
  type DirectConnectionsOptions,
} from '#core/easytier/dialing/directConnections'
import { natTypes } from '#core/easytier/nat/natType'
import { createConnectionHub } from '#core/easytier/peer/connectionHub'
import { createPeer, type Peer } from '#core/easytier/peer/peer'
import { newRecord } from '#core/easytier/peer/routing'
import { createUdpTransport } from '#core/easytier/transport/udpTransport'
import { MEMBER_FEATURES } from '#support/network/memberRecord'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'
import type { VirtualHouse } from '#support/virtualNet/virtualNet'
import { createRouterGround, pmpRouter } from '../portMapping/routerGround'
import { createTestNet } from '../testNet'

// The parts by themselves: directDialer.test.ts, and the folders nat, holePunching and portMapping.

const test = suite('easytier: direct connections', { setUp, tearDown: ({ close }) => close() })

const LISTENER = 4000

test('what servers see of us is told to members, and as what they reach us', async ({ clock, net, open }) => {
  const { direct, peer, told } = await open()
  assert.equal([direct.reach(), told()], [undefined, 0])
  direct.start(LISTENER)
  await clock.advance(1000)
  const { udpNatType, tcpNatType } = peer.own()
  assert.equal([udpNatType, tcpNatType], [natTypes.portRestricted, natTypes.noPat])
  assert.equal([direct.reach(), told() > 0], [undefined, true])
  const outside = await open({}, net.house({ publicAddress: '30.0.0.1', nat: 'open' }))
  outside.direct.start(LISTENER)
  await clock.advance(1000)
  assert.equal(
    [outside.peer.own().udpNatType, outside.direct.reach()],
    [natTypes.openInternet, 'public-address'],
  )
})

for (const [where, routerSays, stun, isShown] of [
  ['its address is the one that servers see', '20.0.0.1', true, true],
  ['it is behind a second one', '20.0.0.9', true, false],
  ['there are no servers, and its address is public', '20.0.0.9', false, true],
  ['there are no servers, and its address is private', '10.0.0.1', false, false],
] as const)
  test(`open ports of the router are ${isShown ? '' : 'not '}told where ${where}`, async (parts) => {
    const { clock, open } = parts
    const { direct, told } = await open(
      stun ? {} : { stunServers: [], nodes: [] },
      undefined,
      createRouterGround({ datagram: pmpRouter(routerSays) }),
    )
    direct.start(LISTENER)
    await clock.advance(3000)
    const shown = direct.mappings().map(({ transport, external }) => `${transport} ${external.address}`)
    assert.equal(shown, isShown ? [`udp ${routerSays}`, `tcp ${routerSays}`] : [])
    assert.equal([direct.reach(), told() > 0], [isShown ? 'mapped-port' : undefined, true])
  })

for (const [kind, isWanted] of [
  ['wanted', true],
  ['not wanted', false],
] as const)
  test(`a member behind another router that is ${kind} ${isWanted ? 'is' : 'is not'} connected`, async (parts) => {
    const { clock, net, open, meet } = parts
    const wants = () => isWanted
    const one = await open({ wants })
    const other = await open({ wants }, net.house({ publicAddress: '20.0.0.2', nat: 'cone' }))
    for (const { direct } of [one, other]) direct.start(LISTENER)
    await meet(one, other)
    await clock.advance(20_000)
    assert.is(one.peer.peer(other.peer.ownId)?.connection !== undefined, isWanted)
    assert.is(one.called('getIpList').length > 0, isWanted)
  })

test('another public address, and another network, make the attempts start over at once', async (parts) => {
  const { clock, house, open, meet } = parts
  const one = await open()
  const deaf = await open({ wants: () => false })
  one.direct.start(LISTENER)
  await meet(one, deaf)
  await clock.advance(60_000)
  const pauses = one.called('getIpList').map((at, index, all) => at - (all[index - 1] ?? at))
  assert.ok((pauses.at(-1) ?? 0) >= 10_000, `pauses grow: ${pauses}`)
  const callsWithin = async (ms: number, act: () => void) => {
    const before = one.called('getIpList').length
    act()
    await clock.advance(ms)
    return one.called('getIpList').length - before
  }
  assert.is(await callsWithin(1000, one.direct.askAnew), 0, 'the address is the same')
  house.restart('21.0.0.1')
  await meet(one, deaf)
  await clock.advance(60_000)
  assert.ok((await callsWithin(1000, one.direct.restart)) >= 3)
  await clock.advance(60_000)
  house.restart('22.0.0.1')
  await meet(one, deaf)
  await clock.advance(60_000)
  assert.ok((await callsWithin(1000, one.direct.askAnew)) >= 3, 'the address is another one')
})

test('closed before it was started, it has nothing to wait for', async ({ open }) => {
  const { direct } = await open()
  assert.equal([direct.mappings(), direct.reach()], [[], undefined])
})

type Player = {
  readonly direct: DirectConnections
  readonly peer: Peer
  /** When it has called members by this method. */
  called(method: string): readonly number[]
  told(): number
  readonly attachRelay: () => Promise<void>
}

/** Peers that meet at a shared node; direct connections are what the tests are about. */
async function setUp() {
  const testNet = createTestNet()
  const { clock, random, net } = testNet
  const house = net.house({ publicAddress: '20.0.0.1', nat: 'cone' })
  const node = await testNet.sharedNode('9.9.9.9')
  let lastId = 0

  async function open(
    changes: Partial<DirectConnectionsOptions> = {},
    home: VirtualHouse = house,
    router?: ReturnType<typeof createRouterGround>,
  ): Promise<Player> {
    lastId += 1
    const { transports } = home.machine()
    const { bytes: randomBytes } = random.fork(`player ${lastId}`)
    const stopping = new AbortController()
    const hub = createConnectionHub()
    const fixed = { hostname: 'player', programVersion: '0', features: MEMBER_FEATURES }
    const peer = createPeer({
      identity: { name: 'room', secret: 'secret' },
      record: newRecord({ ...fixed, peerId: lastId, address: `10.144.144.${lastId}` }, randomBytes),
      clock,
      randomBytes,
      send: hub.send,
      close: hub.close,
    })
    hub.deliverTo(peer)
    const udp = createUdpTransport({ socket: await transports.openUdp(0), clock, randomBytes })
    udp.accept((connection) => void hub.attach(connection, { isDialler: false }))
    const calls: [method: string, at: number][] = []
    let told = 0
    const direct = createDirectConnections({
      peer: {
        ...peer,
        call(peerId, method, ...rest) {
          calls.push([method, clock.now()])
          peer.call(peerId, method, ...rest)
        },
      },
      transports: router
        ? { ...transports, openUdp: router.transports.openUdp, routers: router.routers }
        : transports,
      udp,
      clock,
      randomBytes,
      log: silentLog(),
      ...node.settings,
      wants: () => true,
      onOverShare() {},
      onReach() {
        told += 1
      },
      attach: hub.attach,
      signal: stopping.signal,
      ...changes,
    })
    testNet.atEnd(async () => {
      stopping.abort(new Error('stopped'))
      peer.close()
      await hub.closeAll()
      const closed = direct.closed()
      await clock.advance(1000)
      await closed
      udp.close()
    })
    return {
      direct,
      peer,
      called: (method) => calls.filter(([name]) => name === method).map(([, at]) => at),
      told: () => told,
      async attachRelay() {
        const at = { address: '9.9.9.9', port: 11_010 }
        hub.attach(await transports.dialTcp(at, stopping.signal), {
          isDialler: true,
          url: 'tcp://9.9.9.9:11010',
        })
      },
    }
  }

  return {
    ...testNet,
    house,
    open,
    async meet(...players: readonly Player[]) {
      for (const { attachRelay } of players) {
        const attached = attachRelay()
        await clock.advance(1000)
        await attached
      }
    },
  }
}

test.run()
