import { ServiceError } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import { createDeferred, untilAborted } from '@lantern-room/base/async'
import type { ByteStream } from '@lantern-room/base/bytes'
import type { GameAnnouncement, LocalNet, ProbeGame } from '@lantern-room/game/ports'
import { echoAll } from '../network/byteStreams'
import { streamPair } from '../network/streamPair'

/** A machine in memory, on a clock of the test: its ports, its game worlds, its LAN. */
export type SimulatedMachine = {
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

/** Of every world. */
const NAME = 'A world'
const ANNOUNCE_MS = 1500
const PROBE_MS = 3000

export function createSimulatedMachine(clock: Pick<Clock, 'after'>) {
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
      const closed = untilAborted(signal).then(async () => {
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
    /** Nothing answers there. */
    openDatagrams() {
      const { promise: closed, resolve: close } = createDeferred()
      return { closed, close, send() {}, onDatagram() {} }
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
      const isWorld = (await stream.read()) !== undefined
      return { ...NOTHING, by: isWorld ? 'modern' : 'connect', motd: isWorld ? NAME : undefined }
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
    /** Reports every announced world of this machine, as the LAN would. */
    async listenToLan(onAnnouncement: (announcement: GameAnnouncement) => void, signal: AbortSignal) {
      const tell = () => {
        for (const [port, world] of worlds) {
          if (world.announced) onAnnouncement({ address: '127.0.0.1', port, motd: NAME, isLocal: true })
        }
        cancel = clock.after(ANNOUNCE_MS, tell)
      }
      let cancel = clock.after(0, tell)
      await untilAborted(signal)
      cancel()
    },
    async announce(world: { readonly motd: string; readonly port: number }, signal: AbortSignal) {
      announced.add(world)
      await untilAborted(signal)
      announced.delete(world)
    },
  }
}

const NOTHING = { motd: undefined, version: undefined, onlinePlayers: undefined, maxPlayers: undefined }
