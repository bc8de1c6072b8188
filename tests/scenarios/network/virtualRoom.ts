import type { ByteStream } from '@lantern-room/base/bytes'
import type { NetworkIdentity } from '@lantern-room/easytier'
import type { RoomCode } from '@lantern-room/protocol'
import type { HostConnection, NetworkEvent } from '@lantern-room/room/network'
import { echoAll } from '#support/network/byteStreams'
import { settled } from '#support/network/fakeClock'
import { plainStreams } from '#support/room/plainStreams'
import { drawnNetworkOf } from '#support/room/privateNetworks'
import { testCredentials } from '#support/room/testCredentials'
import { testRoomNetwork } from '#support/room/testRoomNetwork'
import { createTestNet } from '#support/virtualNet/testNet'
import type { VirtualMachine } from '#support/virtualNet/virtualNet'

export const ROOM_PORT = 13_448
export const WORLD_PORT = 25_565
export const VOICE_PORT = 24_454
export const HOST = '192.168.1.2'

/** The network that a private code leads to. */
const DOOR: NetworkIdentity = { name: 'private', secret: 'derived' }

type JoinOptions = {
  /** Of the network to which it goes instead of that of the code. */
  readonly secret?: Uint8Array
  /** What it draws by chance, where it is not to be left to that. */
  readonly draw?: (size: number) => Uint8Array | undefined
}

/** A room on machines of one LAN in simulated time, whose host sends back what it gets. */
export function createVirtualRoom(room: RoomCode) {
  const { clock, random, net, atEnd, close } = createTestNet({ seed: 7, delayMs: 20 })
  const machines = new Map<string, VirtualMachine>()
  let hosts = 0
  let guests = 0

  function machineAt(address: string): VirtualMachine {
    const machine = machines.get(address) ?? net.machine(address)
    machines.set(address, machine)
    return machine
  }

  const networkOf = (name: string, address: string, { secret, draw }: JoinOptions = {}) => {
    const chance = random.fork(name)
    return testRoomNetwork({
      transports: machineAt(address).transports,
      secureStreams: plainStreams,
      clock,
      randomBytes: (size) => draw?.(size) ?? chance.bytes(size),
      privateIdentity: async () => (secret ? drawnNetworkOf(secret) : DOOR),
    })
  }

  return {
    clock,
    openHost,
    join,
    close,
    /** Each has a listener of its own. */
    networksAt: (address: string) =>
      Number(
        net
          .leaks()
          .find((leak) => leak.startsWith(`${address}: `) && leak.endsWith('listeners'))
          ?.split(' ')[1] ?? 0,
      ),
  }

  async function openHost() {
    hosts += 1
    const stopping = new AbortController()
    const streams: ByteStream[] = []
    const host: HostConnection = await settled(
      clock,
      networkOf(`host ${hosts}`, HOST).host({
        room,
        roomPort: ROOM_PORT,
        exposed: { tcp: [ROOM_PORT, WORLD_PORT], udp: [VOICE_PORT] },
        credentials: testCredentials(),
        onStream(stream) {
          streams.push(stream)
          void echoAll(stream)
        },
        onFlow: (flow) => flow.onDatagram((bytes) => flow.send(bytes)),
        signal: stopping.signal,
      }),
    )
    return { host, streams, stop: stopOf(stopping, host) }
  }

  async function join(name: string, options?: JoinOptions) {
    const stopping = new AbortController()
    const address = `192.168.1.${10 + guests}`
    guests += 1
    const roomNetwork = networkOf(name, address, options)
    const guest = await settled(clock, roomNetwork.join({ room, onStep() {}, signal: stopping.signal }))
    const events: string[] = []
    guest.onEvent((event) => events.push(textOf(event)))
    const stop = stopOf(stopping, guest)
    return { guest, events, address, stop, kill: () => machineAt(address).kill() }
  }

  function stopOf(stopping: AbortController, connection: { closed: Promise<void> }) {
    const stop = async () => {
      stopping.abort(new Error('stopped'))
      await settled(clock, connection.closed)
    }
    atEnd(stop)
    return stop
  }
}

function textOf(event: NetworkEvent): string {
  return event.kind === 'back' && event.isRestarted ? 'back, restarted' : event.kind
}
