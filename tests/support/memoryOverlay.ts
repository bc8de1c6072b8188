import { abortReason } from '../../core/errors'
import { RoomFailure } from '../../core/room/failure'
import type {
  DatagramFlow,
  ExposedPorts,
  GuestSession,
  HostOptions,
  HostSession,
  JoinOptions,
  Member,
  NetworkStatus,
  Overlay,
  SessionEvent,
} from '../../core/room/ports'
import { streamPair } from './streams'

/** Rooms inside one process: what a network does, without one. `cut` and `heal` are its bad line. */
export type MemoryNetwork = {
  readonly overlay: Overlay
  /** The line of every guest of this room is away: streams wait, `lost` is told. */
  cut(network: string): void
  heal(network: string): void
  /** Everything that is open in it; empty when nothing was left behind. */
  leaks(): readonly string[]
}

type Hosted = {
  readonly options: HostOptions
  readonly guests: Set<Guest>
  readonly member: Member
  exposed: ExposedPorts
}
type Guest = { tell(event: SessionEvent): void; readonly breakStreams: () => void }

export function createMemoryNetwork(): MemoryNetwork {
  const hosts = new Map<string, Hosted>()
  const waiting = new Map<string, Set<Guest>>()
  let open = 0

  const overlay: Overlay = {
    version: 'memory 1',

    async host(options) {
      const { networkName } = options.room
      if (options.signal.aborted) throw abortReason(options.signal)
      if (hosts.has(networkName)) throw new RoomFailure('network-failed', 'The room is hosted already.')
      const member = { ...MEMBER, id: '1', hostname: `scaffolding-mc-server-${options.roomPort}` }
      const guests = waiting.get(networkName) ?? new Set()
      waiting.set(networkName, guests)
      const hosted: Hosted = { options, member, exposed: options.exposed, guests }
      hosts.set(networkName, hosted)
      for (const guest of guests) guest.tell({ kind: 'back', isRestarted: true })
      const closed = ended(options.signal, () => {
        hosts.delete(networkName)
        for (const guest of guests) {
          guest.breakStreams()
          guest.tell({ kind: 'lost' })
        }
      })
      const session: HostSession = {
        members: () => [],
        status: () => STATUS,
        onEvent: () => () => undefined,
        closed,
        setExposed(ports) {
          hosted.exposed = ports
        },
      }
      return session
    },

    async join({ room, signal, onStep }: JoinOptions) {
      onStep('starting')
      onStep('connecting-nodes')
      const { networkName } = room
      if (signal.aborted) throw abortReason(signal)
      const host = hosts.get(networkName)
      if (!host) throw new RoomFailure('host-not-found', 'Nobody hosts this room.')
      if (host.options.room.networkSecret !== room.networkSecret) {
        throw new RoomFailure('wrong-room', 'The room exists, with another secret.')
      }
      onStep('host-found')
      return guestSession(networkName, host, signal)
    },
  }

  function guestSession(networkName: string, first: Hosted, signal: AbortSignal): GuestSession {
    const listeners = new Set<(event: SessionEvent) => void>()
    const streams = new Set<{ destroy(): void }>()
    const guest: Guest = {
      tell: (event) => {
        for (const listener of listeners) listener(event)
      },
      breakStreams: () => {
        for (const stream of streams) stream.destroy()
      },
    }
    first.guests.add(guest)
    const current = () => hosts.get(networkName)
    return {
      members: () => [current()?.member ?? first.member],
      status: () => STATUS,
      closed: ended(signal, () => {
        first.guests.delete(guest)
        guest.breakStreams()
      }),
      onEvent(listener) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
      get host() {
        const member = current()?.member ?? first.member
        return { member, roomPort: Number(member.hostname.split('-').at(-1)) }
      },
      async dial(port) {
        const host = current()
        if (!host?.exposed.tcp.includes(port))
          throw new RoomFailure('host-unreachable', 'Nothing takes the stream.')
        const [near, far] = streamPair()
        streams.add(near)
        open += 1
        void near.closed.then(() => {
          open -= 1
          streams.delete(near)
        })
        host.options.onStream(far, { port })
        return near
      },
      datagrams(port) {
        const [near, far] = flowPair()
        const host = current()
        if (host?.exposed.udp.includes(port)) host.options.onFlow(far, { port })
        return near
      },
    }
  }

  return {
    overlay,
    cut: (network) => {
      for (const guest of waiting.get(network) ?? []) guest.tell({ kind: 'lost' })
    },
    heal: (network) => {
      for (const guest of waiting.get(network) ?? []) guest.tell({ kind: 'back', isRestarted: false })
    },
    leaks: () => [
      ...(open > 0 ? [`${open} streams`] : []),
      ...(hosts.size > 0 ? [`${hosts.size} hosts`] : []),
    ],
  }
}

const MEMBER = {
  address: '10.144.144.1',
  path: { kind: 'direct', carrier: 'memory', latencyMs: 0 },
} as const

const STATUS: NetworkStatus = { privacy: 'open', nodes: [], path: MEMBER.path, difficulty: 'EASIEST' }

function ended(signal: AbortSignal, cleanUp: () => void): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener(
      'abort',
      () => {
        cleanUp()
        resolve()
      },
      { once: true },
    )
  })
}

function flowPair(): [DatagramFlow, DatagramFlow] {
  let close = () => {}
  const closed = new Promise<void>((resolve) => {
    close = resolve
  })
  const listeners: ((bytes: Uint8Array) => void)[] = [() => {}, () => {}]
  const end = (self: number): DatagramFlow => ({
    ...{ closed, close },
    send: (bytes) => queueMicrotask(() => listeners[1 - self]?.(bytes)),
    onDatagram(listener) {
      listeners[self] = listener
    },
  })
  return [end(0), end(1)]
}
