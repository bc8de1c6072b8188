import type { ByteStream } from '#core/byteStream'
import { ServiceError } from '#core/errors'
import { readRoomConfig } from '#core/room/config'
import type { GameAnnouncement, LocalNet, ProbeGame, RoomNetwork } from '#core/room/ports'
import { createRoomApi, type RoomApi } from '#core/room/roomApi'
import type { Stage } from '#core/room/service/stages'
import { createFakeClock, type FakeClock } from '../network/fakeClock'
import { createMemoryNetwork, type MemoryNetwork } from '../network/memoryOverlay'
import { streamPair } from '../network/streams'

/** A machine of which nothing is real, on time that is held: its ports, its worlds, its LAN. */
export type HeldMachine = {
  readonly localNet: LocalNet
  readonly probe: ProbeGame
  /** Opens a world: it sends back what it gets. @returns what closes it */
  openWorld(port: number, options?: { announced?: boolean; mute?: boolean }): () => void
  /** Sends a line to a TCP port. @returns the line that comes back; undefined when the connection is refused or breaks */
  echo(port: number, line: string): Promise<string | undefined>
  /** Another program takes these ports, or all of them. */
  occupy(ports: readonly number[] | 'all'): void
  /** TCP ports with a listener that is no world. */
  readonly listening: readonly number[]
  /** How many connections are open. */
  readonly connections: number
  /** What is announced on the LAN now. */
  readonly announced: readonly { readonly motd: string; readonly port: number }[]
}

export type HeldRoom = RoomApi & {
  readonly machine: HeldMachine
  readonly machineId: string
  /** Every stage so far, each once. */
  readonly stages: readonly Stage[]
  host(order?: Record<string, unknown>): Promise<string>
  join(room: string): Promise<void>
  /** A request as a launcher sends it. */
  ask(path: string, body?: unknown): Promise<Response>
  close(): Promise<void>
}

export type HeldSetting = {
  readonly clock: FakeClock
  readonly network: MemoryNetwork
  open(options?: { env?: Record<string, string>; overlay?: RoomNetwork }): HeldRoom
  /** Closes every room, and tells what was left behind: nothing, when all is well. */
  close(): Promise<readonly string[]>
}

export function createHeldSetting(): HeldSetting {
  const clock = createFakeClock()
  const network = createMemoryNetwork()
  const rooms: HeldRoom[] = []
  return {
    clock,
    network,
    open({ env = {}, overlay = network.overlay } = {}) {
      const room = openHeldRoom(clock, overlay, env, rooms.length + 1)
      rooms.push(room)
      return room
    },
    async close() {
      await Promise.all(rooms.map((room) => room.close()))
      await clock.advance(0)
      return [
        ...network.leaks(),
        ...(clock.timers > 0 ? [`${clock.timers} timers`] : []),
        ...rooms.flatMap(({ machine }) => [
          ...machine.listening.map((port) => `port ${port}`),
          ...machine.announced.map(({ motd }) => `announcement ${motd}`),
          ...(machine.connections > 0 ? [`${machine.connections} connections`] : []),
        ]),
      ]
    },
  }
}

function openHeldRoom(
  clock: FakeClock,
  overlay: RoomNetwork,
  env: Record<string, string>,
  number: number,
): HeldRoom {
  const stopping = new AbortController()
  const held = createHeldMachine(clock)
  const silent = { debug() {}, info() {}, warn() {}, error() {} }
  const machineId = number.toString(16).padStart(32, '0')
  const api = createRoomApi(
    readRoomConfig({ ROOM_NODES: '', ...env }),
    {
      roomNetwork: overlay,
      clock,
      log: silent,
      shutDown: () => {},
      stopping: stopping.signal,
      localNet: held.localNet,
      probeGame: held.probe,
      identity: { machineId, secret: new Uint8Array(32).fill(number) },
      lanListener: { listen: held.hear },
      lanAnnouncer: { announce: held.announce },
      probeNode: async () => ({ problem: 'there is none' }),
      platform: {
        targetTuple: 'a-b-c-d',
        targetArch: 'a',
        targetVendor: 'b',
        targetOS: 'c',
        targetEnv: 'd',
      },
    },
    { version: '1.2.3', builtAt: '2026-01-01T00:00:00.000Z' },
  )
  const stages: Stage[] = []
  api.feed.subscribe(() => {
    const { stage } = api.roomState.view()
    if (stages.at(-1) !== stage) stages.push(stage)
  })
  const ask = (path: string, body?: unknown) => {
    const text = JSON.stringify(body ?? {})
    const headers = {
      Host: '127.0.0.1',
      'Content-Type': 'application/json',
      'Content-Length': `${text.length}`,
    }
    const isPost = body !== undefined
    const init = isPost ? { method: 'POST', body: text, headers } : { headers: { Host: '127.0.0.1' } }
    return api.app(new Request(`http://127.0.0.1${path}`, init))
  }
  return {
    ...api,
    machine: held,
    machineId,
    stages,
    ask,
    async host(order = {}) {
      const answer = await ask('/room/host/start', order)
      if (answer.status !== 200) throw new Error(await answer.text())
      await clock.advance(0)
      return api.roomState.view().room ?? ''
    },
    async join(room) {
      const answer = await ask('/room/guest/start', { roomCode: room, playerName: `Guest ${number}` })
      if (answer.status !== 200) throw new Error(await answer.text())
      await clock.advance(0)
    },
    async close() {
      await api.service.stop()
      stopping.abort()
      await api.closed
    },
  }
}

const ANNOUNCE_MS = 1500
const PROBE_MS = 3000

function createHeldMachine(clock: FakeClock) {
  const listeners = new Map<number, (stream: ByteStream) => void>()
  const worlds = new Map<number, { announced: boolean; streams: Set<ByteStream> }>()
  const announced = new Set<{ readonly motd: string; readonly port: number }>()
  const open = new Set<ByteStream>()
  let occupied: readonly number[] | 'all' = []
  let nextPort = 50_000

  const isTaken = (port: number) => occupied === 'all' || occupied.includes(port) || listeners.has(port)

  const localNet: LocalNet = {
    async listen(ports, onStream, signal) {
      signal.throwIfAborted()
      const wanted = ports.map((port) => (port === 0 ? nextPort++ : port))
      const port = wanted.find((one) => !isTaken(one))
      if (port === undefined) throw new ServiceError('unavailable', 'Every port is in use.')
      const taken = new Set<ByteStream>()
      listeners.set(port, (stream) => {
        taken.add(stream)
        onStream(stream)
      })
      const closed = onceAborted(signal).then(async () => {
        listeners.delete(port)
        for (const stream of taken) stream.destroy()
        await Promise.all([...taken].map((stream) => stream.closed))
      })
      return { port, closed }
    },
    async connect(port) {
      const onStream = listeners.get(port)
      if (!onStream) throw new Error(`port ${port} refuses`)
      const [near, far] = streamPair()
      open.add(near)
      void near.closed.then(() => open.delete(near))
      onStream(far)
      return near
    },
    listenDatagrams: async () => true,
    openDatagrams: () => {
      throw new Error('no datagrams here')
    },
  }

  const probe: ProbeGame = async ({ port }, signal) => {
    const stream = await localNet.connect(port).catch(() => undefined)
    if (!stream) return undefined
    const destroy = () => stream.destroy()
    if (signal.aborted) {
      destroy()
      return undefined
    }
    const cancel = clock.after(PROBE_MS, destroy)
    signal.addEventListener('abort', destroy, { once: true })
    try {
      await stream.write(Uint8Array.of(1))
      return { ...NOTHING, by: (await stream.read()) ? 'modern' : 'connect' }
    } catch {
      return signal.aborted ? undefined : { ...NOTHING, by: 'connect' }
    } finally {
      cancel()
      signal.removeEventListener('abort', destroy)
      destroy()
    }
  }

  return {
    localNet,
    probe,
    get listening() {
      return [...listeners.keys()].filter((port) => !worlds.has(port))
    },
    get connections() {
      return open.size
    },
    get announced() {
      return [...announced]
    },
    occupy(ports: readonly number[] | 'all') {
      occupied = ports
    },
    openWorld(port: number, { announced: isAnnounced = false, mute = false } = {}) {
      const streams = new Set<ByteStream>()
      worlds.set(port, { announced: isAnnounced, streams })
      listeners.set(port, (stream) => {
        streams.add(stream)
        if (!mute) void echoAll(stream)
      })
      return () => {
        worlds.delete(port)
        listeners.delete(port)
        for (const stream of streams) stream.destroy()
      }
    },
    async echo(port: number, line: string) {
      const stream = await localNet.connect(port).catch(() => undefined)
      if (!stream) return undefined
      try {
        await stream.write(new TextEncoder().encode(line))
        const bytes = await stream.read()
        return bytes && new TextDecoder().decode(bytes)
      } catch {
        return undefined
      } finally {
        stream.destroy()
      }
    },
    /** The LAN, as the service listens to it: every world of this machine that announces itself. */
    async hear(onAnnouncement: (announcement: GameAnnouncement) => void, signal: AbortSignal) {
      const tell = () => {
        for (const [port, world] of worlds) {
          if (world.announced) onAnnouncement({ address: '127.0.0.1', port, motd: 'A world', isLocal: true })
        }
        cancel = clock.after(ANNOUNCE_MS, tell)
      }
      let cancel = clock.after(0, tell)
      await onceAborted(signal)
      cancel()
    },
    async announce(world: { readonly motd: string; readonly port: number }, signal: AbortSignal) {
      announced.add(world)
      await onceAborted(signal)
      announced.delete(world)
    },
  }
}

const NOTHING = { motd: undefined, version: undefined, onlinePlayers: undefined, maxPlayers: undefined }

async function echoAll(stream: ByteStream): Promise<void> {
  try {
    for (let bytes = await stream.read(); bytes; bytes = await stream.read()) await stream.write(bytes)
    await stream.end()
  } catch {
    stream.destroy()
  }
}

function onceAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
