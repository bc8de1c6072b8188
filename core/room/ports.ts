/** What the room service needs from the machine and the network. Adapters implement these types; core knows nothing else. */

import type { ByteStream, DatagramFlow } from '../byteStream'
import type { RelayReason } from './relayReasons'
import type { RoomCode, RoomPrivacy } from './roomCode'

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
  /** Of this run of the member: the same in `Incoming`. */
  readonly id: string
  readonly hostname: string
  /** IPv4 address inside the network, or undefined while it has none. */
  readonly address: string | undefined
  /** IP address from which it is connected directly. */
  readonly remoteAddress?: string | undefined
  readonly path: Path | undefined
}

/** How a member is reached, as measured from end to end over the last seconds. Undefined: not measured yet. */
export type MemberLink = {
  readonly memberId: string
  /** `lan`: direct, within the same local network. */
  readonly path: 'direct' | 'lan' | 'relay' | undefined
  readonly transport: Path['transport'] | undefined
  /** Round trip. */
  readonly latencyMs: number | undefined
  /** Share of probes without an answer, 0 to 1. */
  readonly loss: number | undefined
  /** Bytes per second of streams and datagrams. */
  readonly sentPerSecond: number | undefined
  readonly receivedPerSecond: number | undefined
  /** Why there is no direct connection; undefined when there is one. */
  readonly relayReason: RelayReason | undefined
}

export type Difficulty = 'UNKNOWN' | 'EASIEST' | 'SIMPLE' | 'MEDIUM' | 'TOUGH'

export type NetworkStatus = {
  readonly privacy: RoomPrivacy
  readonly nodes: readonly NodeStatus[]
  /** Ports that the router of this machine's network has opened for it. */
  readonly mappings: readonly {
    readonly method: 'pcp' | 'nat-pmp' | 'upnp'
    readonly transport: 'tcp' | 'udp'
    /** `address:port` of the internet. */
    readonly external: string
  }[]
  /** Of a guest: the way to the host. */
  readonly path: Path | undefined
  /** Of a guest: from both NAT types, while it connects. */
  readonly difficulty: Difficulty | undefined
}

/** What happens while connected. */
export type NetworkEvent =
  | { readonly kind: 'members' }
  | { readonly kind: 'status' }
  /** `links` was measured anew. */
  | { readonly kind: 'links' }
  /** Guest: the host does not answer; streams wait. */
  | { readonly kind: 'lost' }
  /** Guest: the host answers again. `isRestarted` when it is another run of the host, so that old streams are gone. */
  | { readonly kind: 'back'; readonly isRestarted: boolean }

export type NetworkConnection = {
  members(): readonly Member[]
  /** Of a host: every member's; of a guest: the host's. */
  links(): readonly MemberLink[]
  status(): NetworkStatus
  /** @returns a function that unsubscribes */
  onEvent(listener: (event: NetworkEvent) => void): () => void
  /**
   * Resolves when the connection was stopped by its signal, and no socket, timer or stream of it is left. Rejects with a
   * RoomFailure `network-failed` as soon as the network fails by itself; what it has open is closed then, too.
   */
  readonly closed: Promise<void>
}

export type ExposedPorts = { readonly tcp: readonly number[]; readonly udp: readonly number[] }

export type HostConnection = NetworkConnection & {
  /** Replaces the ports that members may reach. Streams to a port that is no longer exposed are closed. */
  setExposed(ports: ExposedPorts): void
  /** Something of this member was refused because it has more than its share: the network holds it back if that goes on. */
  noteOverShare(memberId: string): void
}

export type GuestConnection = NetworkConnection & {
  /**
   * The member that hosts, found by its hostname `scaffolding-mc-server-<port>`. `isOurs`: by its own account it runs this
   * program, and so supports what only this program does.
   */
  readonly host: { readonly member: Member; readonly roomPort: number; readonly isOurs: boolean }
  /**
   * Opens a stream to a TCP port of the host. A refusal may arrive after that: the stream then closes without a byte.
   * @param patienceMs how long to go on, beyond the usual 10 s, while the host is seen in the network: it may take direct
   * connections only, and still be searching for a path
   * @throws RoomFailure `host-unreachable` when refused or not answered in time; in private rooms also `not-encrypted`, and
   * `host-changed` when another host answers than before
   */
  dial(port: number, signal?: AbortSignal, patienceMs?: number): Promise<ByteStream>
  /** A flow to a UDP port of the host. */
  datagrams(port: number): DatagramFlow
}

/** The exposed port that a stream or a flow leads to, and the id of the member that has opened it. */
export type Incoming = { readonly port: number; readonly memberId: string }

/** Stands for the id of a member where a program on this machine speaks the room protocol. */
export const THIS_MACHINE = 'this machine'

/** What each member has a share of, and may ask too much of. */
export type MemberShare =
  | 'players'
  | 'machine-ids'
  | 'connections'
  | 'requests'
  | 'player-pings'
  | 'streams'
  | 'datagram-flows'
  | 'listeners'

/** Called for each thing that is refused, withdrawn or delayed because this member has more than its share. */
export type OnOverShare = (memberId: string, share: MemberShare) => void

/** How a host proves itself to guests of a private room: an Ed25519 key and a certificate that carries it, both as PEM. */
export type HostCredentials = { readonly privateKey: string; readonly certificate: string }

/** A stream that only the two ends can read. */
export type SecureStream = {
  readonly stream: ByteStream
  /** The Ed25519 key that the other side has proved, 32 bytes; undefined when it has none, as a guest. */
  readonly peerKey: Uint8Array | undefined
  /** A secret that both ends derive from the handshake, for this label. */
  exportKey(label: string, size: number): Uint8Array
}

/** `not-tls`: the other side answered with something else, or its proof is wrong. `closed`: it did not answer. */
export type SecureHandshake =
  | { readonly kind: 'secure'; readonly secure: SecureStream }
  | { readonly kind: 'not-tls' | 'closed'; readonly cause: unknown }

/**
 * Encryption of streams from end to end, with forward secrecy. The streams that are given belong to it: they are closed when
 * the handshake fails, or the signal aborts before it is over. Nothing here rejects.
 */
export type SecureStreams = {
  /** The side that opened the stream. It accepts any key: the caller compares it. */
  connect(stream: ByteStream, signal: AbortSignal): Promise<SecureHandshake>
  /** The side that accepted the stream. */
  createAcceptor(
    credentials: HostCredentials,
  ): (stream: ByteStream, signal: AbortSignal) => Promise<SecureHandshake>
}

export type JoinStep = 'starting' | 'connecting-nodes' | 'looking-for-host' | 'host-found'

export type HostOptions = {
  readonly room: RoomCode
  /** Shared nodes for this room, instead of the configured ones. */
  readonly nodes?: readonly string[]
  /** Port of the room protocol; guests read it from the host's hostname. */
  readonly roomPort: number
  readonly exposed: ExposedPorts
  /** Used in private rooms. */
  readonly credentials: HostCredentials
  /** Called with a member's stream to an exposed TCP port; the callee closes it. */
  readonly onStream: (stream: ByteStream, from: Incoming) => void
  /** Called with a member's flow to an exposed UDP port; the callee closes it. */
  readonly onFlow: (flow: DatagramFlow, from: Incoming) => void
  readonly onOverShare?: OnOverShare
  /** Closes the connection. */
  readonly signal: AbortSignal
}

export type JoinOptions = {
  readonly room: RoomCode
  /** The host's key from an invitation or an earlier join; in a private room only a host with this key is connected to. */
  readonly hostKey?: Uint8Array | undefined
  /** Called with the key that the host of a private room has proved, once. */
  readonly onHostKey?: ((key: Uint8Array) => void) | undefined
  /** Shared nodes for this room, instead of the configured ones. */
  readonly nodes?: readonly string[]
  readonly onStep: (step: JoinStep) => void
  /** Reports the status (nodes, difficulty) until the connection stands. */
  readonly onStatus?: (status: NetworkStatus) => void
  readonly signal: AbortSignal
}

/**
 * The virtual network of a room. Everything stops by the signal of the attempt: `host` and `join` reject with its reason
 * when it aborts first, and leave no socket, timer or stream behind.
 */
export type RoomNetwork = {
  /** Name and version of the network layer, for GET /meta. */
  readonly version: string
  /** Resolves when members can connect. @throws RoomFailure `network-failed`, `no-relay-reachable` */
  host(options: HostOptions): Promise<HostConnection>
  /**
   * Resolves when the host was found and can be dialled.
   * @throws RoomFailure `no-relay-reachable`, `host-not-found`, `several-hosts`, `wrong-room`, `network-failed`
   */
  join(options: JoinOptions): Promise<GuestConnection>
}

/** Performs a handshake with the node at this address. Never rejects. */
export type ProbeNode = (
  url: string,
  limitMs: number,
) => Promise<{ readonly latencyMs: number; readonly isSharedNode: boolean } | { readonly problem: string }>

/** A world that was announced on the local network. */
export type GameAnnouncement = {
  /** Its address as reachable from this machine, without the port. */
  readonly address: string
  readonly port: number
  readonly motd: string
  /** Whether this machine announced it. */
  readonly isLocal: boolean
  /** Of the game; undefined = Java. */
  readonly edition?: 'bedrock'
}

/** Listens for announcements of worlds on the LAN. */
export type LanListener = {
  /** Runs until the signal aborts; resolves once every socket is closed. Failures of one interface are logged, not thrown. */
  listen(
    onAnnouncement: (announcement: GameAnnouncement) => void,
    signal: AbortSignal,
    /** Whether nothing may be asked now, for listeners that ask. */
    isPaused?: () => boolean,
  ): Promise<void>
}

/** Announces a world on the LAN every 1.5 s until the signal aborts; resolves once every socket is closed. */
export type LanAnnouncer = {
  announce(world: { readonly motd: string; readonly port: number }, signal: AbortSignal): Promise<void>
}

export type GameStatus = {
  /** The probe that was answered. `connect`: no ping, only a TCP connection. `raknet`: by UDP, the Bedrock edition. */
  readonly by: 'modern' | 'legacy' | 'connect' | 'raknet'
  readonly motd: string | undefined
  readonly version: string | undefined
  readonly onlinePlayers: number | undefined
  readonly maxPlayers: number | undefined
}

/**
 * Asks a game server: the modern server-list ping, the legacy one, a plain connect, and the Bedrock edition's ping by UDP; the
 * first ping that answers counts.
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
   * @param at `every-address` for games, which connect to this machine's LAN address when they found the world by its
   * announcement; connections from other machines are refused in any case
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
   * Receives UDP datagrams of programs on this machine, on all of its addresses. One flow per client address; a flow
   * without traffic for 180 s closes.
   * @returns false when the port cannot be used
   */
  listenDatagrams(port: number, onFlow: (flow: DatagramFlow) => void, signal: AbortSignal): Promise<boolean>
  /** A flow to a UDP port of this machine, from a socket of its own. */
  openDatagrams(port: number): DatagramFlow
}
