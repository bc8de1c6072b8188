import type { ByteStream, DatagramFlow } from '@lantern-room/base/bytes'

/** What a peer is opened with: name, secret and nodes are what `easytier-core` takes as well. */
export type EasyTierPeerOptions = {
  /** As in `easytier-core --network-name`. */
  readonly name: string
  /** As in `easytier-core --network-secret`. */
  readonly secret: string
  /** Shared nodes where members meet: `tcp`, `udp`, `ws` or `wss` with host and port, or http(s) lists of them. */
  readonly nodes: readonly string[]
  /**
   * The name that other members see.
   * @default this machine's host name
   */
  readonly hostname?: string
  /**
   * The IPv4 address inside the network, whose prefix is 24 bits long. No other member may have it.
   * @default a random one of 10.126.126.2 to 10.126.126.253, the range from which EasyTier gives addresses
   */
  readonly address?: string
  /**
   * `host:port` of STUN servers, which tell a peer behind a router its public address.
   * @default none
   */
  readonly stunServers?: readonly string[]
  /**
   * Whether it listens, connects to members directly and finds them on the LAN. Without it everything goes through shared nodes.
   * @default true
   */
  readonly isDirect?: boolean
  /**
   * Takes lines about connections, for people.
   * @default nothing is logged
   */
  readonly onLog?: (level: 'debug' | 'info' | 'warn' | 'error', line: string) => void
}

/** Another member of the network that can be reached now. */
export type EasyTierMember = {
  /** A number below 2^32 that the member chose at random when it started. */
  readonly id: number
  readonly hostname: string
  /** Its IPv4 address inside the network, if it has one. */
  readonly address: string | undefined
  /** `direct`, or `relay` through a shared node or another member. */
  readonly path: 'direct' | 'relay'
  /** The round trip of a direct connection in ms, once it was measured. */
  readonly latencyMs: number | undefined
  /** The version of its program. */
  readonly version: string
}

/** A configured shared node. */
export type EasyTierNode = {
  readonly url: string
  readonly state: 'connecting' | 'connected' | 'failed'
  readonly latencyMs: number | undefined
  /** Why it failed. */
  readonly problem: string | undefined
}

/** Takes a stream that a member has opened, and the member. */
export type StreamHandler = (stream: ByteStream, memberId: number) => void
/** Takes the datagrams between a member's port and one of ours. */
export type FlowHandler = (flow: DatagramFlow, memberId: number) => void

/** A member of a network in this process: no network card, no administrator rights. */
export type EasyTierPeer = {
  /** This peer among the members. */
  readonly id: number
  /** Its IPv4 address inside the network. */
  readonly address: string | undefined
  /** Resolves when the peer was stopped by its signal and nothing of it is open; rejects when the network fails by itself. */
  readonly closed: Promise<void>
  /** The other members that can be reached now. */
  members(): readonly EasyTierMember[]
  nodes(): readonly EasyTierNode[]
  /** Calls when members, paths or shared nodes have changed. @returns a function that ends it */
  onChange(listener: () => void): () => void
  /**
   * Resolves with the first member for which `isWanted` holds, now or later.
   * @example const alice = await peer.member(({ hostname }) => hostname === 'alice', AbortSignal.timeout(20_000))
   * @throws the signal's reason; Error when the peer has stopped
   */
  member(isWanted: (member: EasyTierMember) => boolean, signal?: AbortSignal): Promise<EasyTierMember>
  /**
   * Opens a stream to a TCP port of a member, at its own address.
   * @throws Error when the member refuses it or cannot be reached, or the signal's reason
   */
  dial(member: EasyTierMember, port: number, signal?: AbortSignal): Promise<ByteStream>
  /** Opens a flow to a UDP port of a member, at its own address. @throws Error when it has none */
  datagrams(member: EasyTierMember, port: number): DatagramFlow
  /**
   * Members may open streams to this TCP port from now on.
   * @returns a function that ends it; streams that are open go on
   * @throws RangeError for a port that is none; Error when it is handled already
   */
  handleTcp(port: number, handler: StreamHandler): () => void
  /** The same for UDP. @throws RangeError for a port that is none; Error when it is handled already */
  handleUdp(port: number, handler: FlowHandler): () => void
}
