import { isInSubnet } from '#core/addressRanges'
import { createDirectDialer, type DirectDialerOptions } from '#core/easytier/dialing/directDialer'
import type { Peer, RemotePeer } from '#core/easytier/peer/peer'
import type { CallDone } from '#core/easytier/peer/rpcCalls'
import type { Connection, Transports } from '#core/easytier/transport/transports'
import { rpcMethods } from '#core/easytier/wire/messages'
import { type Endpoint, formatEndpoint, fromSocketAddr } from '#core/easytier/wire/socketAddress'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'

const test = suite('easytier: direct connections to members')

const MEMBER = 7
const { getIpList, sendUdpHolePunchPacket } = rpcMethods

test('a member without a direct connection is called again after growing pauses, up to 30 s', async () => {
  const { clock, dialer, add, callsOf } = setUp()
  add(MEMBER)
  dialer.update()
  dialer.update()
  await clock.advance(99_000)
  const times = [0, 100, 250, 500, 1000, 2000, 4000, 9000, 19_000, 39_000, 69_000, 99_000]
  assert.equal(callsOf('getIpList'), times)
  dialer.restart()
  await clock.advance(100)
  assert.equal(callsOf('getIpList').slice(times.length), [99_000, 99_100])
})

test('shared nodes, connected, unwanted and absent members are not called', async () => {
  const { clock, dialer, add, remove, callsOf } = setUp({ wants: (peerId) => peerId !== 3 })
  add(1, { isSharedNode: true })
  add(2, { isConnected: true })
  add(3)
  dialer.update()
  assert.equal([callsOf('getIpList'), clock.timers], [[], 0])
  add(MEMBER)
  dialer.update()
  remove(MEMBER)
  dialer.update()
  assert.equal([callsOf('getIpList'), clock.timers], [[0], 0])
})

test('a connection ends the calls, and so does the signal', async () => {
  const { clock, dialer, add, callsOf, controller } = setUp()
  add(MEMBER)
  dialer.update()
  add(MEMBER, { isConnected: true })
  await clock.advance(100)
  assert.equal([callsOf('getIpList'), clock.timers], [[0], 0])
  add(MEMBER)
  dialer.update()
  controller.abort()
  dialer.update()
  await clock.advance(1000)
  assert.equal([callsOf('getIpList'), clock.timers], [[0, 100], 0])
})

test('dials each listener of an answer once, and asks for a datagram to our public address', async () => {
  const { clock, dialer, add, calls, dialled, connected } = setUp({ tcpAnswers: true })
  add(MEMBER)
  dialer.update()
  const response = listOf('udp://20.0.0.2:3000', 'tcp://20.0.0.2:2000')
  calls[0]?.done({ kind: 'answer', response })
  await clock.advance(0)
  calls[0]?.done({ kind: 'answer', response })
  await clock.advance(0)
  // A second answer waits for the first dials.
  assert.equal(dialled, ['udp 20.0.0.2:3000', 'tcp 20.0.0.2:2000'])
  assert.equal(connected, [MEMBER])
  const request = calls.find(({ method }) => method === 'sendUdpHolePunchPacket')?.request
  const punch = request && sendUdpHolePunchPacket.request.decode(request)
  assert.is(punch?.listenerPort, 3000)
  assert.equal(fromSocketAddr(punch?.connectorAddr), { address: '20.0.0.1', port: 5000 })
})

test('what may not be dialled is not, and a listener that has failed three times is left alone', async () => {
  const { clock, dialer, add, calls, dialled } = setUp()
  add(MEMBER)
  dialer.update()
  const forbidden = ['127.0.0.1:2000', 'localhost:2000', '192.168.0.1:2000', '20.0.0.2:80']
  const response = listOf(...[...forbidden, '10.0.0.9:2000'].map((end) => `tcp://${end}`))
  for (let turn = 0; turn < 5; turn += 1) {
    calls.at(-1)?.done({ kind: 'answer', response })
    await clock.advance(30_000)
  }
  assert.equal(dialled, ['tcp 10.0.0.9:2000', 'tcp 10.0.0.9:2000', 'tcp 10.0.0.9:2000'])
  dialer.restart()
  calls.at(-1)?.done({ kind: 'answer', response })
  await clock.advance(0)
  assert.is(dialled.length, 4)
})

for (const [what, publicIpv6, first] of [
  ['no server', undefined, []],
  ['a server as we are', { address: '2a0e::1', port: 12 }, []],
  ['a server as another', { address: '2a0f::9', port: 700 }, [{ address: '2a0f::9', port: 700 }]],
] as const)
  test(`a firewall before us is opened for each of our IPv6 addresses that others may reach, seen by ${what}`, async () => {
    const { dialer, add, calls } = setUp({
      publicIpv6: () => publicIpv6,
      transports: {
        resolve: async (host: string) => [host],
        dialTcp: () => new Promise(() => {}),
        isOnOwnSubnet: () => true,
        interfaceAddresses: () => ['10.0.0.1', '2a0e::1', 'fe80::1', 'fd00::1'],
      } as unknown as Transports,
      publicSocket: () => undefined,
    })
    add(MEMBER)
    dialer.update()
    const words = { part1: 0x2a0e0000, part2: 0, part3: 0, part4: 7 }
    const response = getIpList.response.encode({
      listeners: [{ url: 'udp://[::]:5000' }, { url: 'udp://0.0.0.0:5000' }],
      interfaceIpv4s: [{ addr: 0x14000002 }],
      interfaceIpv6s: [words],
    })
    calls.at(-1)?.done({ kind: 'answer', response })
    const asked = calls.filter(({ method }) => method === 'sendUdpHolePunchPacket')
    const told = asked.map(({ request }) => {
      const { connectorAddr, listenerPort } = sendUdpHolePunchPacket.request.decode(request) ?? {}
      return [fromSocketAddr(connectorAddr), listenerPort]
    })
    const ours = [...first, { address: '2a0e::1', port: 12 }, { address: 'fd00::1', port: 12 }]
    assert.equal(
      told,
      ours.map((one) => [one, 5000]),
    )
  })

function listOf(...urls: readonly string[]): Uint8Array {
  return getIpList.response.encode({ listeners: urls.map((url) => ({ url })) })
}

type Call = {
  readonly at: number
  readonly method: string
  readonly request: Uint8Array
  readonly done: CallDone
}

function setUp({
  tcpAnswers = false,
  ...changes
}: Partial<DirectDialerOptions> & { tcpAnswers?: boolean } = {}) {
  const clock = createFakeClock()
  const controller = new AbortController()
  const calls: Call[] = []
  const dialled: string[] = []
  const connected: number[] = []
  const members = new Map<number, RemotePeer>()
  const dial = (kind: string, answers: boolean) => (to: Endpoint, signal: AbortSignal) => {
    dialled.push(`${kind} ${formatEndpoint(to)}`)
    if (answers) return Promise.resolve({} as Connection)
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const peer: Partial<Peer> = {
    peers: () => [...members.values()],
    peer: (peerId) => members.get(peerId),
    call: (_peerId, method, request, _timeoutMs, done) =>
      void calls.push({ at: clock.now(), method, request, done }),
    handle() {},
  }
  const dialer = createDirectDialer({
    peer: peer as Peer,
    transports: {
      resolve: async (host: string) => [host],
      dialTcp: dial('tcp', tcpAnswers),
      interfaceAddresses: () => ['10.0.0.1', '2001:db8::1'],
      isOnOwnSubnet: (address: string) => isInSubnet(address, '10.0.0.1/24'),
    } as unknown as Transports,
    udp: { dial: dial('udp', false) } as unknown as DirectDialerOptions['udp'],
    clock,
    log: silentLog(),
    wants: () => true,
    listeners: () => ({ tcp: 11, udp: 12 }),
    publicAddress: () => undefined,
    publicSocket: () => ({ address: '20.0.0.1', port: 5000 }),
    mappings: () => [],
    onConnection: (_connection, peerId) => void connected.push(peerId),
    signal: controller.signal,
    ...changes,
  })
  return {
    clock,
    controller,
    calls,
    dialled,
    connected,
    dialer,
    add(peerId: number, { isSharedNode = false, isConnected = false } = {}) {
      const connection = isConnected ? {} : undefined
      members.set(peerId, { record: { peerId, features: { isSharedNode } }, connection } as RemotePeer)
    },
    remove: (peerId: number) => members.delete(peerId),
    callsOf: (name: string) => calls.filter(({ method }) => method === name).map(({ at }) => at),
  }
}

test.run()
