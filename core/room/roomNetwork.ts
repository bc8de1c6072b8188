/** The network as the room service needs it: `core/room/network` implements these types. */

import type { ByteStream, DatagramFlow } from '@lantern-room/base/bytes'
import type { Denial } from '@lantern-room/base/limits'
import type { RoomCode } from '@lantern-room/protocol'
import type { OnOverShare } from '@lantern-room/protocol/server'
import type { Member, MemberLink, NetworkEvent, NetworkStatus } from './networkStatus'
import type { HostCredentials } from './ports'

export type NetworkConnection = {
  members(): readonly Member[]
  /** The links to all members on a host, and to the host alone on a guest. */
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

/** The secret of a private room's network, which the host replaces when it removes a guest. */
export type NetworkSecret = {
  /** The one that the host has drawn last, 32 bytes; undefined while the network is that of the code alone. */
  current(): Uint8Array | undefined
  /**
   * Draws another one. Members who are told it follow without losing a stream, and keep their ids. The network of the code
   * stays open, for friends who come by it; one with an earlier secret closes when nobody is in it, or after a minute.
   */
  change(): void
}

export type HostConnection = NetworkConnection & {
  /** Only in private rooms. */
  readonly secret?: NetworkSecret

  /** Replaces the ports that members may reach. Streams to a port that is no longer exposed are closed. */
  setExposed(ports: ExposedPorts): void
  /** Whether a member gives a sign of life within a few seconds. Never rejects. */
  answers(memberId: string): Promise<boolean>
  /** Something was denied to this member because it has more than its share: the network holds it back if refusals go on. */
  noteOverShare(memberId: string, denial?: Denial): void
}

export type GuestConnection = NetworkConnection & {
  /**
   * The member that hosts, found by its hostname `scaffolding-mc-server-<port>`. `isOurs`: by its own account it runs this
   * program, and so supports what only this program does.
   */
  readonly host: { readonly member: Member; readonly roomPort: number; readonly isOurs: boolean }
  /** The key of the host, when it is known: from an invitation, an earlier join, or because the host has proved it. */
  hostKey(): Uint8Array | undefined
  /**
   * To be called when the host has answered. The first answer decides who the host is: from then on no other member takes its
   * place but one that proves the same key, and nobody that of a host without a key.
   * @param key that it has proved
   * @returns whether it is the host
   */
  checkHost(key: Uint8Array | undefined): boolean
  /** Whether several members host with this code, and this one was the first that answered: no key tells which one is meant. */
  isOneOfSeveral(): boolean
  /**
   * Whether neither a key nor an answer tells yet who the host is. Each other member that hosts with this code is asked then, too: the
   * first that answers is the host, which the event `back` tells.
   */
  isHostAwaited(): boolean
  /** While the host is lost: whether another member answers in its place, which does not prove its key. */
  isOtherHostThere(): boolean
  /** Whether a route leads to the host, and the last packets in its name could not be opened: its program encrypts otherwise, or a relay pretends that. */
  isHostUnreadable(): boolean
  /**
   * Opens a stream to a TCP port of the host. A refusal may arrive after that: the stream then closes without a byte.
   * @param patienceMs how long to go on, beyond the usual 10 s, while the host is seen in the network: it may take direct
   * connections only, and still be searching for a path
   * @throws RoomFailure `host-unreachable` when refused or not answered in time; in private rooms also `not-encrypted`, and
   * `host-changed` when another host answers
   */
  dial(port: number, signal?: AbortSignal, patienceMs?: number): Promise<ByteStream>
  /** A flow to a UDP port of the host. */
  datagrams(port: number): DatagramFlow
  /**
   * Only in private rooms: moves to the network with this secret, which the host has told; streams and flows go on. Without
   * effect when this one was told before.
   */
  readonly follow?: (secret: Uint8Array) => void
}

/** The exposed port that a stream or a flow leads to, and the id of the member that has opened it. */
export type Incoming = { readonly port: number; readonly memberId: string }

export type JoinStep = 'starting' | 'connecting-nodes' | 'looking-for-host' | 'host-found'

/** How a room uses the network, where it differs from what is configured. */
export type NetworkChoice = {
  /** Whether to carry what passes between other members. */
  readonly friendRelay?: boolean | undefined
  /** Whether to connect to members directly. */
  readonly direct?: boolean | undefined
}

export type HostOptions = NetworkChoice & {
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
  /** Whether a member is to stay where there are too many for the network; by default none is. */
  readonly isSettled?: (memberId: string) => boolean
  /** Closes the connection. */
  readonly signal: AbortSignal
}

export type JoinOptions = NetworkChoice & {
  readonly room: RoomCode
  /** The host's key from an invitation or an earlier join: only a host with this key is connected to. */
  readonly hostKey?: Uint8Array | undefined
  /** Called with the key that the host has proved, once. */
  readonly onHostKey?: ((key: Uint8Array) => void) | undefined
  /** Shared nodes for this room, instead of the configured ones. */
  readonly nodes?: readonly string[]
  /** Shared nodes that an invitation names, beside those. */
  readonly invitedNodes?: readonly string[]
  /**
   * Whether to open the network anew where it fails by itself once the host was found: it is lost meanwhile, and back as another
   * member's.
   * @default the connection ends with the failure
   */
  readonly outlivesNetwork?: boolean
  readonly onStep: (step: JoinStep) => void
  /** Reports the status (nodes, difficulty) until the connection stands. */
  readonly onStatus?: (status: NetworkStatus) => void
  readonly signal: AbortSignal
}

/** A host that is looked for, and not joined. */
export type FindOptions = Pick<JoinOptions, 'room' | 'nodes' | 'invitedNodes' | 'direct' | 'signal'>

/**
 * The virtual network of a room. Everything stops by the signal of the attempt: `host` and `join` reject with its reason
 * when it aborts first, and leave no socket, timer or stream behind.
 */
export type RoomNetwork = {
  /** Name and version of the network layer, for GET /meta. */
  readonly version: string
  /** Resolves when members can connect. @throws RoomFailure `network-failed`, `no-relay-reachable`, `no-internet`, `wifi-login` */
  host(options: HostOptions): Promise<HostConnection>
  /**
   * Resolves when the host was found and can be dialled. Where its key is known, it has proved that.
   * @throws RoomFailure `no-relay-reachable`, `no-internet`, `wifi-login`, `host-not-found`, `several-hosts`, `host-changed`, `wrong-room`, `network-failed`
   */
  join(options: JoinOptions): Promise<GuestConnection>
  /** Resolves when somebody who hosts was found, and the network is left again. @throws RoomFailure as `join` does */
  find(options: FindOptions): Promise<void>
}
