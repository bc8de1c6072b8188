import type { ByteStream } from '@lantern-room/base/bytes'
import { createPlayerRegistry, createScaffoldingServer } from '@lantern-room/protocol/server'
import { createRoomNetwork, type RoomNetwork } from '@lantern-room/room/network'
import { openMemberNetwork, type RoomNetworkOptions } from '#internal/room/network/members/memberNetwork'
import { networkIdentityOf } from '#internal/room/network/members/networkIdentity'
import { echoAll } from '#support/network/byteStreams'
import { createFakeClock } from '#support/network/fakeClock'
import { plainStreams } from '#support/room/plainStreams'
import { createSimulatedRooms, type SimulatedRoom } from '#support/room/simulatedRooms'
import { roomOf } from '#support/room/testRoomNetwork'
import { hasResolved } from '#support/values/hasResolved'
import { silentLog } from '#support/values/testLog'
import { createTestNet } from '#support/virtualNet/testNet'
import type { VirtualMachine } from '#support/virtualNet/virtualNet'
import { OPEN_SERVER } from '../../protocol/scaffolding/openPolicy'

/** What a member does that has the host's name and address. */
export type ImposterKind =
  /** It refuses every stream. */
  | 'deaf'
  /** It takes streams, and says nothing. */
  | 'mute'
  /** It sends back what it gets. */
  | 'echo'
  /** It speaks the room protocol, and has no key. */
  | 'keyless'
  /** A whole host of this program, with a key of its own. */
  | 'host'

export type Imposter = {
  /** Machine ids of players that have registered there. */
  readonly players: () => readonly string[]
  leave(): Promise<void>
}

export type Player = SimulatedRoom & {
  readonly line: VirtualMachine
  /** The program is gone without a word. */
  crash(): Promise<void>
  /** Ends what it does, in order. */
  stop(): Promise<void>
}

const NODE = '9.9.9.9'
const WORLD_PORT = 30_000
const ROOM_PORT = 13_448

/**
 * Whole programs on machines that meet at a shared node, in simulated time, and members that pose as the host.
 * @param options.hasNode without it they meet on the LAN alone
 */
export function createImposterRoom({ hasNode = true } = {}) {
  const clock = createFakeClock(Date.UTC(2026, 0, 1), { granularityMs: 1, settlesPerInstant: true })
  const testNet = createTestNet({ clock, delayMs: 10 })
  const { net, random } = testNet
  const nodes = hasNode ? [`tcp://${NODE}:11010`] : []
  if (hasNode) void testNet.sharedNode(NODE)
  const rooms = createSimulatedRooms(clock)
  const leavers: (() => Promise<void>)[] = []
  let machines = 0
  let hostId = 0

  return { clock, open, pose, poseAsSamePeer, invitationOf, close }

  /** @param number of the machine, whose keys are derived from it */
  function open(number?: number, more: Parameters<typeof rooms.open>[0] = {}): Player {
    const { line, options } = nextMachine()
    const room = rooms.open({
      roomNetwork: watched(createRoomNetwork(options)),
      probeNode: async () => ({ latencyMs: 10, isSharedNode: true }),
      env: { ROOM_NODES: nodes.join() },
      ...(number !== undefined && { number }),
      ...more,
    })
    return {
      ...room,
      line,
      async host(order = {}) {
        room.machine.openWorld(WORLD_PORT)
        const code = await room.host({ gamePort: WORLD_PORT, ...order })
        await clock.advance(1000)
        return code
      },
      stop: () => finish(room.service.stop()),
      async crash() {
        line.setOnline(false)
        line.kill()
        await finish(room.service.close())
      },
    }
  }

  /** A member of this room with the name and the address of its host. */
  async function pose(code: string, kind: ImposterKind): Promise<Imposter> {
    return kind === 'host' ? poseAsProgram(code) : poseAsMember(code, kind, nextMachine().options)
  }

  /** The same with the peer id of the host that was found last, as any guest knows it. */
  function poseAsSamePeer(code: string): Promise<Imposter> {
    const { options } = nextMachine()
    const drawn = [new Uint8Array(new Uint32Array([hostId]).buffer).reverse()]
    const randomBytes = (size: number) => drawn.pop() ?? options.randomBytes(size)
    return poseAsMember(code, 'keyless', { ...options, randomBytes })
  }

  async function poseAsProgram(code: string): Promise<Imposter> {
    const other = open()
    await other.host({ room: code, playerName: 'Mallory' })
    return {
      players: () =>
        other.roomState
          .view()
          .players.slice(1)
          .map(({ machineId }) => machineId),
      leave: other.stop,
    }
  }

  async function poseAsMember(
    code: string,
    kind: Exclude<ImposterKind, 'host'>,
    options: RoomNetworkOptions,
  ): Promise<Imposter> {
    const leaving = new AbortController()
    const registry = createPlayerRegistry({
      host: { name: 'Alex', machineId: 'imposter', vendor: '' },
      isConnected: () => true,
      onChange: () => undefined,
      clock,
      signal: leaving.signal,
    })
    const server = createScaffoldingServer({
      ...OPEN_SERVER,
      registry,
      gamePort: () => WORLD_PORT,
      onGamePort: () => () => {},
      clock,
      log: silentLog(),
      signal: leaving.signal,
    })
    const takeStream: Record<typeof kind, (stream: ByteStream) => void> = {
      deaf: (stream) => stream.destroy(),
      mute: () => undefined,
      echo: (stream) => void echoAll(stream),
      keyless: (stream) => void server.serve(stream, 'guest'),
    }
    const member = await openMemberNetwork(options, {
      identity: await networkIdentityOf(roomOf(code), options),
      isHost: true,
      hostname: `scaffolding-mc-server-${ROOM_PORT}`,
      address: '10.144.144.1',
      signal: leaving.signal,
      acceptsTcp: () => kind !== 'deaf',
      acceptsUdp: () => false,
      onStream: takeStream[kind],
      onFlow: (flow) => flow.close(),
      wantsDirect: () => true,
      onChange() {},
    })
    await clock.advance(1000)
    const leave = async () => {
      leaving.abort(new Error('it leaves'))
      await finish(member.closed)
    }
    leavers.push(leave)
    return {
      players: () =>
        registry
          .list()
          .slice(1)
          .map(({ machineId }) => machineId),
      leave,
    }
  }

  /** What needs time ends while it passes. */
  async function finish<T>(work: Promise<T>): Promise<T> {
    const isOver = hasResolved(work)
    while (!isOver()) await clock.advance(100)
    return work
  }

  async function invitationOf(host: Player): Promise<string> {
    const answer = await host.ask('/room/invitation', {})
    return ((await answer.json()) as { link: string }).link
  }

  function watched(network: RoomNetwork): RoomNetwork {
    return {
      ...network,
      async join(request) {
        const connection = await network.join(request)
        hostId = Number(connection.host.member.id)
        return connection
      },
    }
  }

  function nextMachine() {
    machines += 1
    const line = net.machine(`20.0.0.${machines}`)
    const chance = random.fork(`machine ${machines}`)
    const options = {
      transports: line.transports,
      nodes,
      stunServers: [],
      isDirect: true,
      clock,
      randomBytes: chance.bytes,
      log: silentLog(),
      version: '0',
      secureStreams: plainStreams,
      privateIdentity: async (code: string) => ({ name: `private ${code}`, secret: code }),
    }
    return { line, options }
  }

  async function close(): Promise<readonly string[]> {
    for (const leave of leavers) await leave()
    const left = await finish(rooms.close())
    await testNet.close(2000)
    // The node has had timers of its own.
    return left.filter((leak) => !leak.endsWith('timers'))
  }
}
