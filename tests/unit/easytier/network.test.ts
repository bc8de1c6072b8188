import { createDeferred } from '@lantern-room/base/async'
import { Network, type NetworkOptions } from '#internal/easytier/network'
import { formatIpv4 } from '#internal/easytier/wire/addresses'
import { rpcMethods } from '#internal/easytier/wire/messages'
import { settled } from '#support/network/fakeClock'
import { playerSettings } from '#support/network/playerSettings'
import { assert, suite } from '#support/runner/suite'
import { createTestNet } from '#support/virtualNet/testNet'

const test = suite('easytier: a network', { setUp, tearDown: ({ close }) => close() })

const GAME = 25_565

test('peers find each other on the LAN, show a new address, and leave nothing behind', async (parts) => {
  const { clock, open } = parts
  const [host, guest] = [await open({ announces: true }), await open()]
  await clock.advance(2000)
  const seen = guest.network.peers().map(({ record }) => [record.peerId, record.hostname, record.address])
  assert.equal(seen, [[host.network.ownId, 'player-1', '10.144.144.1']])
  assert.ok(guest.network.peer(host.network.ownId)?.connection)
  assert.ok(host.changes() > 0)
  host.network.setAddress('10.144.144.9')
  await clock.advance(2000)
  assert.is(host.network.address(), '10.144.144.9')
  assert.is(guest.network.peer(host.network.ownId)?.record.address, '10.144.144.9')
})

test('a network without direct connections finds nobody on the LAN', async ({ clock, open }) => {
  const [host, guest] = [await open({ announces: true }), await open({ isDirect: false })]
  await clock.advance(5000)
  assert.equal([host.network.peers(), guest.network.peers()], [[], []])
  assert.equal([guest.network.wasRefused(), guest.network.isRefusedEverywhere()], [false, false])
})

test('a peer with another secret is met and refused', async ({ clock, open }) => {
  const host = await open({ announces: true })
  const guest = await open({ identity: { name: 'room', secret: 'another' } })
  await clock.advance(3000)
  assert.equal([guest.network.peers(), guest.network.wasRefused()], [[], true])
  assert.is(host.network.wasRefused(), false, 'only the side that dialled knows')
})

test('a stream reaches only the port that a member accepts, at its own address', async ({ clock, open }) => {
  const streams: number[] = []
  const host = await open({
    announces: true,
    acceptsTcp: (port) => port === GAME,
    onStream: (_stream, { port, peerId }) => void streams.push(port, peerId),
  })
  const guest = await open()
  await clock.advance(2000)
  const dial = async (address: string, port: number) =>
    settled(clock, guest.network.dial(host.network.ownId, { address, port }))
  for (const [address, port] of [
    ['10.144.144.1', GAME + 1],
    ['10.144.144.9', GAME],
  ] as const)
    assert.is(await settled(clock, (await dial(address, port)).read()), undefined, 'it is ended at once')
  assert.equal(streams, [])
  await dial('10.144.144.1', GAME)
  assert.equal(streams, [GAME, guest.network.ownId])
})

test('a socket that the system closes ends the network with an error, and nothing stays open', async () => {
  const { clock, net, open, house } = setUp()
  const gone = createDeferred()
  const { transports } = house.machine()
  const { network } = await open({
    transports: {
      ...transports,
      async openUdp(port) {
        return { ...(await transports.openUdp(port)), closed: gone.promise }
      },
    },
  })
  gone.resolve()
  assert.is(await network.closed.catch(String), 'Error: the system has closed the UDP socket')
  await clock.advance(1000)
  assert.equal([net.leaks(), clock.timers], [[], 0])
})

test('a listener that cannot be opened fails the start, and nothing stays open', async () => {
  const { clock, net, open, house } = setUp()
  const transports = {
    ...house.machine().transports,
    listenTcp: async () => {
      throw new Error('no port')
    },
  }
  assert.is(await open({ transports }).catch(String), 'Error: no port')
  await clock.advance(1000)
  assert.equal([net.leaks(), clock.timers], [[], 0])
})

test('symmetric routers, and firewalls of IPv6: a direct path takes one call each and a handshake', async (parts) => {
  const { clock, net, open, sharedNode } = parts
  const settings = await sharedNode('9.9.9.9', 20)
  const peers = []
  for (const side of [1, 2]) {
    const house = net.house({ publicAddress: `20.0.1.${side}`, nat: 'symmetric' })
    house.line.delayMs = 10
    const machine = house.machine()
    machine.addIpv6(`2a0e:b107:${side}::2`)
    peers.push(await open({ ...settings, transports: machine.transports }))
    await clock.advance(side === 1 ? 2000 : 0)
  }
  const [one, other] = peers
  const toOther = () => one?.network.peer(other?.network.ownId ?? 0)
  const time = async (holds: () => boolean) => {
    while (!holds() && clock.now() < 10_000) await clock.advance(10)
    return clock.now()
  }
  const seenAt = await time(() => toOther() !== undefined)
  const directAt = await time(() => toOther()?.connection !== undefined)
  assert.is(toOther()?.connection?.origin.remoteAddress, '2a0e:b107:2::2')
  assert.is(directAt - seenAt, 200)
})

test('after a redial, which only the loss of the shared node shows, members are told the new public address', async (parts) => {
  const { clock, net, open, house, sharedNode } = parts
  const settings = await sharedNode('9.9.9.9')
  const host = await open(settings)
  const other = net.house({ publicAddress: '20.0.0.2', nat: 'cone' })
  const guest = await open({ ...settings, transports: other.machine().transports })
  await clock.advance(3000)
  assert.is(await publicAddress(), '20.0.0.1')
  house.restart('21.0.0.1')
  await clock.advance(30_000)
  assert.is(await publicAddress(), '21.0.0.1')
  assert.ok(guest.network.peer(host.network.ownId)?.connection, 'directly')

  async function publicAddress(): Promise<string | undefined> {
    const { request, response } = rpcMethods.getIpList
    let address: string | undefined
    guest.network.call(host.network.ownId, 'getIpList', request.encode({}), 3000, (result) => {
      const list = result.kind === 'response' ? response.decode(result.response) : undefined
      address = list?.publicIpv4 && formatIpv4(list.publicIpv4.addr)
    })
    await clock.advance(1000)
    return address
  }
})

function setUp() {
  const testNet = createTestNet()
  const { clock, random, net } = testNet
  const house = net.house({ publicAddress: '20.0.0.1', nat: 'cone' })
  let count = 0
  const open = async ({
    announces = false,
    ...changes
  }: Partial<NetworkOptions> & { announces?: boolean } = {}) => {
    count += 1
    const stopping = new AbortController()
    let changed = 0
    const network = await Network.open(
      {
        ...playerSettings(count),
        lan: { key: 'lan', announces },
        transports: changes.transports ?? house.machine().transports,
        clock,
        randomBytes: random.fork(`player ${count}`).bytes,
        onChange: () => {
          changed += 1
        },
        ...changes,
      },
      stopping.signal,
    )
    testNet.atEnd(() => {
      stopping.abort(new Error('stopped'))
      return network.closed
    })
    return { network, changes: () => changed }
  }
  return { ...testNet, open, house }
}

test.run()
