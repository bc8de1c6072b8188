import { createDeferred, createEmitter, onAbort } from '@lantern-room/base/async'
import { type DatagramFlow, equalBytes } from '@lantern-room/base/bytes'
import type { RoomCode } from '@lantern-room/protocol'
import { RoomFailure } from '@lantern-room/room'
import type {
  ExposedPorts,
  GuestConnection,
  HostConnection,
  HostOptions,
  JoinOptions,
  Member,
  MemberLink,
  NetworkEvent,
  NetworkStatus,
  RoomNetwork,
} from '@lantern-room/room/network'
import { openNetworkOf } from '#support/room/openNetworkOf'
import { keyOfCredentials } from '../room/testCredentials'
import { streamPair } from './streamPair'

export type MemoryNetwork = ReturnType<typeof createMemoryNetwork>

type Closing = { readonly port: number; readonly close: () => void }
type Hosted = {
  readonly options: HostOptions
  /** That of its credentials. */
  readonly key: Uint8Array
  readonly member: Member
  readonly status: NetworkStatus
  readonly tell: (event: NetworkEvent) => void
  /** What leads to it. */
  readonly tcp: Set<Closing>
  readonly udp: Set<Closing>
  exposed: ExposedPorts
}
type Guest = { readonly member: Member; readonly known: ExpectedHost; tell(event: NetworkEvent): void }

/** Rooms inside one process: what a network does, without one. `cut` and `heal` are its bad line. */
export function createMemoryNetwork() {
  const hosts = new Map<string, Hosted[]>()
  const guests = new Map<string, Set<Guest>>()
  /** The networks whose host is there, and encrypts otherwise. */
  const unreadable = new Set<string>()
  let open = 0
  let lastId = 0
  const hostsOf = (network: string) => hosts.get(network) ?? []
  const guestsOf = (network: string) => {
    const found = guests.get(network) ?? new Set<Guest>()
    guests.set(network, found)
    return found
  }
  const newMember = (hostname: string, remoteAddress?: string): Member => {
    lastId += 1
    const isHost = hostname !== 'guest'
    const address = '10.144.144.1'
    return { id: String(lastId), hostname, isHost, address, remoteAddress, group: remoteAddress }
  }

  /** @param remoteAddress as which a host sees this machine */
  const networkAt = (remoteAddress?: string): RoomNetwork => ({
    version: 'memory 1',

    async host(options) {
      const networkName = nameOf(options.room)
      options.signal.throwIfAborted()
      const listeners = createEmitter<NetworkEvent>()
      const hosted: Hosted = {
        options,
        exposed: options.exposed,
        key: keyOfCredentials(options.credentials),
        tcp: new Set(),
        udp: new Set(),
        tell: listeners.emit,
        member: newMember(`scaffolding-mc-server-${options.roomPort}`),
        status: { ...STATUS, privacy: options.room.privacy },
      }
      for (const guest of guestsOf(networkName)) {
        const isBack = hostFor(networkName, guest.known) === undefined && guest.known.accepts(hosted.key)
        if (isBack) guest.tell({ kind: 'back', isRestarted: true })
      }
      hosts.set(networkName, [...hostsOf(networkName), hosted])
      const closed = ended(options.signal, () => remove(networkName, hosted))
      const session: HostConnection = {
        members: () => [...guestsOf(networkName)].map(({ member }) => member),
        links: () => [...guestsOf(networkName)].map(({ member }) => linkOf(member)),
        status: () => hosted.status,
        onEvent: listeners.subscribe,
        closed,
        setExposed: (ports) => withdraw(hosted, ports),
        answers: async (memberId) => [...guestsOf(networkName)].some(({ member }) => member.id === memberId),
        noteOverShare() {},
      }
      return session
    },

    async join({ room, signal, onStep, hostKey, onHostKey }: JoinOptions) {
      onStep('starting')
      onStep('connecting-nodes')
      const known = new ExpectedHost(hostKey, onHostKey)
      const host = foundHost(room, known, signal)
      onStep('host-found')
      return guestSession(nameOf(room), host, known, signal, remoteAddress)
    },

    async find({ room, signal }) {
      foundHost(room, new ExpectedHost(), signal)
    },
  })

  function foundHost(room: RoomCode, known: ExpectedHost, signal: AbortSignal): Hosted {
    signal.throwIfAborted()
    const all = hostsOf(nameOf(room)).filter(({ options }) => options.room.text === room.text)
    const host = all.find(({ key }) => known.accepts(key))
    if (!host && all.length > 0) throw new RoomFailure('host-changed', 'Another host has this room.')
    if (!host) throw new RoomFailure('host-not-found', 'Nobody hosts this room.')
    return host
  }

  function nameOf(room: RoomCode): string {
    return room.privacy === 'open' ? openNetworkOf(room.text).name : room.text
  }

  /** The one that proves the key that is known. */
  function hostFor(networkName: string, known: ExpectedHost): Hosted | undefined {
    return hostsOf(networkName).find(({ key }) => known.accepts(key))
  }

  function remove(networkName: string, hosted: Hosted): void {
    const all = hostsOf(networkName)
    if (!all.includes(hosted)) return
    const others = all.filter((one) => one !== hosted)
    const left = [...guestsOf(networkName)].filter(({ known }) => hostFor(networkName, known) === hosted)
    hosts.set(networkName, others)
    withdraw(hosted, { tcp: [], udp: [] })
    for (const guest of left) guest.tell({ kind: 'lost' })
  }

  /** Closes what leads to a port that is exposed no more. */
  function withdraw(hosted: Hosted, ports: ExposedPorts): void {
    hosted.exposed = ports
    for (const one of [...hosted.tcp]) if (!ports.tcp.includes(one.port)) one.close()
    for (const one of [...hosted.udp]) if (!ports.udp.includes(one.port)) one.close()
  }

  function guestSession(
    networkName: string,
    first: Hosted,
    known: ExpectedHost,
    signal: AbortSignal,
    remoteAddress: string | undefined,
  ): GuestConnection {
    const listeners = createEmitter<NetworkEvent>()
    const own = new Set<() => void>()
    const member = newMember('guest', remoteAddress)
    const guest: Guest = { member, known, tell: listeners.emit }
    guestsOf(networkName).add(guest)
    const tellHosts = () => {
      for (const { tell } of hostsOf(networkName)) tell({ kind: 'members' })
    }
    tellHosts()
    const current = () => hostFor(networkName, known)

    return {
      members: () => [current()?.member ?? first.member],
      links: () => [linkOf(current()?.member ?? first.member)],
      status: () => (current() ?? first).status,
      closed: ended(signal, () => {
        guestsOf(networkName).delete(guest)
        for (const close of [...own]) close()
        tellHosts()
      }),
      onEvent: listeners.subscribe,
      hostKey: () => known.key,
      checkHost(key) {
        const isHost = known.accepts(key)
        if (isHost) known.note(key)
        return isHost
      },
      isOneOfSeveral: () => known.key === undefined && hostsOf(networkName).length > 1,
      isHostAwaited: () => known.isAwaited,
      isOtherHostThere: () => !current() && hostsOf(networkName).length > 0,
      isHostUnreadable: () => unreadable.has(networkName),
      get host() {
        const member = current()?.member ?? first.member
        return { member, roomPort: Number(member.hostname.split('-').at(-1)), isOurs: true }
      },
      async dial(port, dialSignal) {
        dialSignal?.throwIfAborted()
        const host = current()
        if (!host?.exposed.tcp.includes(port))
          throw new RoomFailure('host-unreachable', 'Nothing takes the stream.')
        const [near, far] = streamPair()
        keep(host.tcp, port, near.closed, () => {
          near.destroy()
          far.destroy()
        })
        host.options.onStream(far, { port, memberId: guest.member.id })
        return near
      },
      datagrams(port) {
        const [near, far] = flowPair()
        const host = current()
        if (!host) return near
        keep(host.udp, port, near.closed, near.close)
        let isTaken = false
        return {
          ...near,
          // As on a network, the host hears of it with the first datagram.
          send(bytes) {
            if (!isTaken && host.exposed.udp.includes(port)) {
              isTaken = true
              host.options.onFlow(far, { port, memberId: guest.member.id })
            }
            near.send(bytes)
          },
        }
      },
    }

    function keep(all: Set<Closing>, port: number, closed: Promise<void>, close: () => void): void {
      const entry = { port, close }
      all.add(entry)
      own.add(close)
      open += 1
      void closed.then(() => {
        open -= 1
        all.delete(entry)
        own.delete(close)
      })
    }
  }

  return {
    roomNetwork: networkAt(),
    networkAt,
    /** The line of every guest of this room is away: streams wait, `lost` is told. */
    cut(network: string) {
      for (const guest of guestsOf(network)) guest.tell({ kind: 'lost' })
    },
    heal(network: string) {
      for (const guest of guestsOf(network)) guest.tell({ kind: 'back', isRestarted: false })
    },
    /** After `cut`: the host of this room is there again, and encrypts otherwise, or does so no more. */
    encryptOtherwise(network: string, isSo: boolean) {
      if (isSo) unreadable.add(network)
      else unreadable.delete(network)
    },
    /** The host of this room is gone without a word, as after a crash; its service does not know. */
    vanish(network: string) {
      for (const hosted of hostsOf(network)) remove(network, hosted)
    },
    /** Everything that is open in it; empty when nothing was left behind. */
    leaks() {
      const hosting = [...hosts.values()].flat().length
      return [
        ...(open > 0 ? [`${open} streams and flows`] : []),
        ...(hosting > 0 ? [`${hosting} hosts`] : []),
      ]
    },
  }
}

function linkOf({ id }: Member): MemberLink {
  return {
    memberId: id,
    path: 'direct',
    transport: 'memory',
    latencyMs: 0,
    loss: 0,
    sentPerSecond: 0,
    receivedPerSecond: 0,
    relayReason: undefined,
  }
}

const STATUS: NetworkStatus = {
  privacy: 'open',
  nodes: [],
  mappings: [],
  path: { kind: 'direct', transport: 'memory', latencyMs: 0 },
  difficulty: 'EASIEST',
}

function ended(signal: AbortSignal, cleanUp: () => void): Promise<void> {
  return new Promise((resolve) => {
    onAbort(signal, () => {
      cleanUp()
      resolve()
    })
  })
}

function flowPair(): [DatagramFlow, DatagramFlow] {
  const { promise: closed, resolve: close } = createDeferred()
  const listeners: ((bytes: Uint8Array) => void)[] = [() => {}, () => {}]
  const end = (self: number): DatagramFlow => ({
    closed,
    close,
    send: (bytes) => queueMicrotask(() => listeners[1 - self]?.(bytes)),
    onDatagram(listener) {
      listeners[self] = listener
    },
  })
  return [end(0), end(1)]
}

/** The host that a guest expects: by the key that it was given, or else that of the first answer, which may have none. */
class ExpectedHost {
  #key: Uint8Array | undefined
  readonly #onKey: ((key: Uint8Array) => void) | undefined
  #hasAnswered = false

  /** @param onKey called with the key of the first answer, if the two have one */
  constructor(key?: Uint8Array, onKey?: (key: Uint8Array) => void) {
    this.#key = key
    this.#onKey = onKey
  }

  get key(): Uint8Array | undefined {
    return this.#key
  }

  /** Any host would do, and none has answered. */
  get isAwaited(): boolean {
    return this.#key === undefined && !this.#hasAnswered
  }

  accepts(shown: Uint8Array | undefined): boolean {
    return this.#key === undefined || (shown !== undefined && equalBytes(this.#key, shown))
  }

  note(shown: Uint8Array | undefined): void {
    if (this.#hasAnswered) return
    this.#hasAnswered = true
    this.#key ??= shown
    if (this.#key) this.#onKey?.(this.#key)
  }
}
