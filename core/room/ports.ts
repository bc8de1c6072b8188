/** What the room service needs from the machine and the network. Adapters implement these types; core knows nothing else. */

import type { ByteStream, DatagramFlow } from '../byteStream'
import type { RoomCode } from './roomCode'

/** How packets reach a member. `latencyMs` is the round trip. */
export type Path = {
  readonly kind: 'direct' | 'relay'
  readonly transport: 'tcp' | 'udp' | 'ws' | 'memory'
  readonly latencyMs: number | undefined
}

/** A shared node that was configured for this room. */
export type NodeStatus = {
  readonly url: string
  readonly state: 'connecting' | 'connected' | 'failed'
  readonly latencyMs: number | undefined
  /** Why it failed, in a few words. */
  readonly problem: string | undefined
}

/** A member of the room's network, this one left out. */
export type Member = {
  readonly id: string
  readonly hostname: string
  /** IPv4 address inside the network, or undefined while it has none. */
  readonly address: string | undefined
  readonly path: Path | undefined
}

export type Difficulty = 'UNKNOWN' | 'EASIEST' | 'SIMPLE' | 'MEDIUM' | 'TOUGH'

export type NetworkStatus = {
  readonly privacy: 'open' | 'private'
  readonly nodes: readonly NodeStatus[]
  /** Of a guest: the way to the host. */
  readonly path: Path | undefined
  /** Of a guest: from both NAT types, while it connects. */
  readonly difficulty: Difficulty | undefined
}

/** What happens in a running session. `down` comes once and is the last: the session is closed. */
export type NetworkEvent =
  | { readonly kind: 'members' }
  | { readonly kind: 'status' }
  /** Guest: the host does not answer; streams wait. */
  | { readonly kind: 'lost' }
  /** Guest: the host answers again. `isRestarted` when it is another run of the host, so that old streams are gone. */
  | { readonly kind: 'back'; readonly isRestarted: boolean }
  | { readonly kind: 'down'; readonly error: unknown }

export type NetworkConnection = {
  members(): readonly Member[]
  status(): NetworkStatus
  /** @returns a function that takes the listener off */
  onEvent(listener: (event: NetworkEvent) => void): () => void
  /** Resolves once the session has ended, by its signal or by `down`, and no socket, timer or stream of it is left. */
  readonly closed: Promise<void>
}

export type ExposedPorts = { readonly tcp: readonly number[]; readonly udp: readonly number[] }

export type HostConnection = NetworkConnection & {
  /** Replaces what members may reach. Streams to a port that is no longer exposed are closed. */
  setExposed(ports: ExposedPorts): void
}

export type GuestConnection = NetworkConnection & {
  /**
   * The one member that hosts, by its hostname `scaffolding-mc-server-<port>`. `isOurs`: it runs this program, as it says
   * itself: it may be asked what only this program knows.
   */
  readonly host: { readonly member: Member; readonly roomPort: number; readonly isOurs: boolean }
  /**
   * A stream to a TCP port of the host. A refusal may come later than the stream: then it closes without a byte.
   * @throws RoomFailure `host-unreachable` when refused or not answered in 10 s
   */
  dial(port: number, signal?: AbortSignal): Promise<ByteStream>
  /** A flow to a UDP port of the host. */
  datagrams(port: number): DatagramFlow
}

export type JoinStep = 'starting' | 'connecting-nodes' | 'looking-for-host' | 'host-found'

export type HostOptions = {
  readonly room: RoomCode
  readonly privacy: 'open' | 'private'
  /** Goes into the hostname, by which guests find the room protocol. */
  readonly roomPort: number
  readonly exposed: ExposedPorts
  /** A member's stream to an exposed TCP port. Whoever takes it closes it. */
  readonly onStream: (stream: ByteStream, to: { readonly port: number }) => void
  /** A member's datagrams to an exposed UDP port. Whoever takes it closes it. */
  readonly onFlow: (flow: DatagramFlow, to: { readonly port: number }) => void
  /** Ends the session. */
  readonly signal: AbortSignal
}

export type JoinOptions = {
  readonly room: RoomCode
  readonly onStep: (step: JoinStep) => void
  /** Status before there is a session (nodes, difficulty). */
  readonly onStatus?: (status: NetworkStatus) => void
  readonly signal: AbortSignal
}

/**
 * The virtual network in which a room lives. Everything stops by the signal of the attempt.
 * Both reject with the signal's reason when it aborts first, and leave nothing behind.
 */
export type RoomNetwork = {
  /** Name and version of the network layer, for GET /meta. */
  readonly version: string
  /** Resolves when members can come in. @throws RoomFailure `network-failed`, `no-relay-reachable` */
  host(options: HostOptions): Promise<HostConnection>
  /**
   * Resolves when the host was found and can be dialled.
   * @throws RoomFailure `no-relay-reachable`, `host-not-found`, `several-hosts`, `wrong-room`, `network-failed`
   */
  join(options: JoinOptions): Promise<GuestConnection>
}

/** Does a handshake with a node of this address. Never rejects. */
export type ProbeNode = (
  url: string,
  limitMs: number,
) => Promise<{ readonly latencyMs: number; readonly isSharedNode: boolean } | { readonly problem: string }>

/** A world on the local network, as its announcement tells. */
export type GameAnnouncement = {
  /** The address that it can be reached at from here, without the port. */
  readonly address: string
  readonly port: number
  readonly motd: string
  /** Whether it comes from this machine. */
  readonly isLocal: boolean
}

/** Listens for announcements of worlds on the LAN. */
export type LanListener = {
  /** Runs until the signal aborts; resolves once every socket is closed. Problems of one interface are logged, not thrown. */
  listen(onAnnouncement: (announcement: GameAnnouncement) => void, signal: AbortSignal): Promise<void>
}

/** Announces a world on the LAN every 1.5 s until the signal aborts; resolves once every socket is closed. */
export type LanAnnouncer = {
  announce(world: { readonly motd: string; readonly port: number }, signal: AbortSignal): Promise<void>
}

export type GameStatus = {
  /** Which probe was answered. */
  readonly by: 'modern' | 'legacy' | 'connect'
  readonly motd: string | undefined
  readonly version: string | undefined
  readonly onlinePlayers: number | undefined
  readonly maxPlayers: number | undefined
}

/**
 * Asks a game server: the modern server-list ping, the legacy one, then a plain connect; the first that answers counts.
 * @returns undefined when nothing answers in 3 s
 */
export type ProbeGame = (
  at: { readonly address: string; readonly port: number },
  signal: AbortSignal,
) => Promise<GameStatus | undefined>

/** Whether a TCP port of 127.0.0.1 can be listened on now. */
export type IsPortFree = (port: number) => Promise<boolean>

/** TCP and UDP of this machine, for forwards and for the room protocol. */
export type LocalNet = {
  /**
   * Listens for TCP of programs on this machine, IPv4 and IPv6 where there is one, on the same port.
   * @param ports tried in order; 0 = any free one
   * @param at a game that heard of a world on its LAN comes by this machine's address there, not by loopback. What comes
   * from other machines is refused all the same
   * @throws ServiceError `unavailable` when none can be used
   */
  listen(
    ports: readonly number[],
    onStream: (stream: ByteStream) => void,
    signal: AbortSignal,
    at?: 'loopback' | 'every-address',
  ): Promise<{ readonly port: number; readonly closed: Promise<void> }>
  /** Connects to a TCP port of this machine. @throws Error when refused or not answered in 5 s */
  connect(port: number, signal?: AbortSignal): Promise<ByteStream>
  /**
   * Takes UDP datagrams of programs on this machine, at every address that it has; one flow per client address; a flow
   * without traffic for 180 s closes.
   * @returns false when the port cannot be used
   */
  listenDatagrams(port: number, onFlow: (flow: DatagramFlow) => void, signal: AbortSignal): Promise<boolean>
  /** A flow to a UDP port of this machine, from a socket of its own. */
  openDatagrams(port: number): DatagramFlow
}
