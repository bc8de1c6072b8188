import { createHash } from 'node:crypto'
import { createTlsStreams } from '#core/adapters/tls/tlsStreams'
import { createRoomNetwork } from '#core/room/network/roomNetwork'
import type { NetworkEvent } from '#core/room/networkStatus'
import { generateRoomCode } from '#core/room/roomCode'
import type { HostConnection, JoinOptions } from '#core/room/roomNetwork'
import { createFakeClock, type FakeClock, settled } from '#support/network/fakeClock'
import { createFarEnd, createReplayNet, type FarEnd, type ReplayNet } from '#support/network/replayTransports'
import { testCredentials } from '#support/room/testCredentials'
import { silentLog } from '#support/values/testLog'

export const GAME_PORT = 25_565

/** A host whose listener is the only place that guests dial, on a clock of the test. */
export async function openRoom() {
  const clock = createFakeClock()
  const room = generateRoomCode()
  const hostNet = createReplayNet({})
  const hosting = new AbortController()
  const events: NetworkEvent[] = []
  const sources: number[] = []
  const host: HostConnection = await settled(
    clock,
    roomNetworkOn(hostNet, clock, [], 'host').host({
      room,
      roomPort: 13_448,
      signal: hosting.signal,
      exposed: { tcp: [GAME_PORT], udp: [GAME_PORT] },
      credentials: testCredentials(),
      onStream(stream) {
        const echo = async () => {
          for (let bytes = await stream.read(); bytes; bytes = await stream.read()) await stream.write(bytes)
        }
        void echo().catch(() => undefined)
      },
      onFlow(flow) {
        sources.push(sources.length)
        flow.onDatagram((bytes) => flow.send(bytes))
      },
    }),
  )
  host.onEvent((event) => events.push(event))

  return {
    clock,
    room,
    host,
    hostNet,
    hosting,
    events,
    flows: sources,
    /** @param firstByte that its address is drawn from */
    async join(name: string, firstByte: number) {
      const net = createReplayNet({
        dial() {
          const near: FarEnd = createFarEnd((packet) => clock.after(0.5, () => far.hand(packet)))
          const far: FarEnd = createFarEnd((packet) => clock.after(0.5, () => near.hand(packet)), '192.0.2.2')
          void near.link.closed.then(far.end)
          void far.link.closed.then(near.end)
          hostNet.call(far.link)
          return near.link
        },
      })
      const joining = new AbortController()
      const options: JoinOptions = { room, onStep() {}, signal: joining.signal }
      const roomNetwork = roomNetworkOn(net, clock, ['tcp://192.0.2.1:1'], name, firstByte)
      const session = await settled(clock, roomNetwork.join(options))
      const told: NetworkEvent[] = []
      session.onEvent((event) => told.push(event))
      return { session, net, joining, events: told }
    },
  }
}

function roomNetworkOn(net: ReplayNet, clock: FakeClock, nodes: string[], name: string, firstByte?: number) {
  let count = 0
  return createRoomNetwork({
    secureStreams: createTlsStreams(),
    transports: net.transports,
    nodes,
    stunServers: [],
    isDirect: true,
    clock,
    log: silentLog(),
    version: '0',
    privateIdentity: async () => ({ name: `private ${name}`, secret: 'x' }),
    randomBytes(size) {
      count += 1
      if (size === 1 && firstByte !== undefined) return Uint8Array.of(firstByte)
      return new Uint8Array(createHash('sha512').update(`${name} ${count}`).digest().subarray(0, size))
    },
  })
}
