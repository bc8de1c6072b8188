import { equalBytes } from '#core/bytes'
import type { Clock } from '#core/clock'
import { DIGEST_SIZE } from '../crypto/networkIdentity'
import { type Connections, createConnections } from '../peer/connections'
import { encodeHello, type Handshake } from '../peer/handshake'
import type { ConnectionOrigin, PeerConnection } from '../peer/peerConnection'
import { createRouting, newRecord } from '../peer/routing'
import { randomPeerId } from '../random'
import {
  decodePacket,
  encodePacket,
  MAX_FORWARDS,
  type Packet,
  packetFlags,
  packetTypes,
} from '../wire/packet'
import { createByteRate } from './byteRate'

/** One room at a shared node: its members' routes are kept and told, and packets handed from one to another unread. */
export type RelayNetwork = {
  addLink(id: number, origin: ConnectionOrigin): void
  removeLink(id: number): void
  receive(id: number, packet: Uint8Array): void
  /** Peers with a finished handshake. */
  readonly members: number
  close(): void
}

export type RelayNetworkOptions = {
  readonly name: string
  /** Of the first member: nobody with another one gets in while there is one. */
  readonly digest: Uint8Array
  /** What this node calls itself. */
  readonly hostname: string
  readonly ownNetwork: string
  readonly version: string
  readonly clock: Clock
  readonly randomBytes: (size: number) => Uint8Array
  readonly maxMembers: number
  readonly send: (link: number, packet: Uint8Array) => void
  readonly close: (link: number) => void
  /** Whether so many bytes may be handed on now. */
  readonly mayRelay: (bytes: number) => boolean
  /** Somebody was not let in. */
  readonly onRefused: () => void
  /** The last link has gone. */
  readonly onEmpty: () => void
}

/**
 * What the members of one room may ask of this node itself in a second, and what it tells them: routes and pings. That
 * costs more than handing on, and what one of them tells goes to all.
 */
const HEARD_BYTES_PER_SECOND = 512 * 1024
const TOLD_BYTES_PER_SECOND = 2 * 1024 * 1024

export function createRelayNetwork(options: RelayNetworkOptions): RelayNetwork {
  const { clock, randomBytes, name } = options
  const ownId = randomPeerId(randomBytes)
  const heard = createByteRate(HEARD_BYTES_PER_SECOND, clock)
  const told = createByteRate(TOLD_BYTES_PER_SECOND, clock)
  const open = new Set<number>()
  let isClosed = false
  const links: Connections = createConnections({
    ownId,
    clock,
    send: options.send,
    close: options.close,
    handshake: handshakeOf(options, ownId, () => links.neighbours()),
  })
  const routing = createRouting({
    clock,
    randomBytes,
    networkName: name,
    onChanged: () => {},
    record: newRecord(
      {
        peerId: ownId,
        hostname: `PublicServer_${options.hostname}`,
        address: undefined,
        programVersion: options.version,
        features: FEATURES,
      },
      randomBytes,
    ),
    connections: links,
    // Everybody in the room is a neighbour here.
    neighboursSpeakForThemselves: true,
    send: (peerId, isRequest, payload) => {
      const link = links.best(peerId)
      const type = isRequest ? packetTypes.rpcRequest : packetTypes.rpcResponse
      if (!link || !told.take(payload.length)) return false
      options.send(link.id, encodePacket({ from: ownId, to: peerId, type }, payload))
      return true
    },
  })
  links.listen({
    onPacket,
    onChange: () => {},
    isUsed: () => false,
    onOpen(link) {
      open.add(link.id)
      routing.opened(link)
    },
    onClosed(link, problem, wasOpen) {
      open.delete(link.id)
      if (problem === 'refused') options.onRefused()
      routing.closed(link, wasOpen)
      if (!isClosed && links.size === 0) options.onEmpty()
    },
  })

  return {
    addLink: links.add,
    removeLink: links.remove,
    receive(id, bytes) {
      const packet = isClosed ? undefined : decodePacket(bytes)
      if (!packet) return
      // The whole packet goes on as it came: what is inside is the members' own.
      if (packet.to !== ownId && packet.to !== 0) relay(id, packet, bytes)
      else if (packet.to === 0 || heard.take(bytes.length)) links.receive(id, bytes)
    },
    get members() {
      return links.neighbours().length
    },
    close() {
      isClosed = true
      routing.close()
      links.close()
    },
  }

  function relay(id: number, packet: Packet, bytes: Uint8Array): void {
    // The answer to a ping of ours is addressed as the ping was: from us, to the member.
    const isPong = packet.type === packetTypes.pong && packet.from === ownId
    if (isPong || !open.has(id)) {
      links.receive(id, bytes)
      return
    }
    // A sign of life as good as any, and what keeps the link from being pinged to death.
    links.noteRelayed(id)
    const target = links.best(packet.to)
    if (!target || target.id === id || packet.forwards > MAX_FORWARDS) return
    if (options.mayRelay(bytes.length)) options.send(target.id, bytes)
  }

  function onPacket(packet: Packet, link: PeerConnection): void {
    const isRpc = packet.type === packetTypes.rpcRequest || packet.type === packetTypes.rpcResponse
    const isPlain = (packet.flags & packetFlags.encrypted) === 0
    if (isRpc && isPlain && packet.from === link.peerId) routing.calls.receive(packet.payload, packet.from)
  }
}

/**
 * Whoever has the room's digest is welcome; others are answered like strangers, and closed. Where the room is full there is
 * no answer: an answer and a close would be taken for a wrong code.
 */
function handshakeOf(
  options: RelayNetworkOptions,
  ownId: number,
  members: () => readonly number[],
): Handshake {
  const answer = encodeHello(ownId, options.ownNetwork, new Uint8Array(DIGEST_SIZE))
  const refusal = { problem: 'refused', isSharedNode: false } as const
  return {
    hello: () => answer,
    verify({ myPeerId, networkSecretDigest }) {
      if (networkSecretDigest.length !== DIGEST_SIZE) return { ...refusal, answer: undefined }
      const isRight = equalBytes(networkSecretDigest, options.digest) && myPeerId !== 0 && myPeerId !== ownId
      if (!isRight) return { ...refusal, answer }
      const present = members()
      // One who is there already may come by another transport, too.
      const isFull = present.length >= options.maxMembers && !present.includes(myPeerId)
      return isFull ? { ...refusal, answer: undefined } : { answer, problem: undefined, isSharedNode: false }
    },
  }
}

const FEATURES = {
  isSharedNode: true,
  avoidsRelay: false,
  takesKcp: false,
  relaysNoKcp: false,
  takesRowLists: false,
  needsDirect: false,
  refusesDirect: false,
}
