import type { NetworkIdentity } from '@lantern-room/easytier'
import { packetTypes } from '@lantern-room/easytier/wire'
import { networkKey } from '#internal/easytier/crypto/networkIdentity'
import { createPacketCipher } from '#internal/easytier/crypto/packetCipher'
import { createRpcAssembly } from '#internal/easytier/rpc/rpcAssembly'
import { type RpcAnswer, type RpcMessage, readAnswer, readCall } from '#internal/easytier/rpc/rpcMessage'
import { decodePiece } from '#internal/easytier/rpc/rpcPiece'
import {
  decodeStreamPacket,
  decodeStreamRoute,
  type StreamPacket,
  type StreamRoute,
  streamFlags,
} from '#internal/easytier/streams/streamPacket'
import {
  handshakeRequest,
  type MessageOf,
  type RpcMethodName,
  rpcMethodNamed,
} from '#internal/easytier/wire/messages'
import { decodePacket, type Packet, packetFlags } from '#internal/easytier/wire/packet'
import { noise } from '#support/values/bytes'
import { decodeSegments, type KcpSegment } from '../streams/kcpSegments'

/** What a packet says, down to its message. */
export type Meaning = { readonly packet: Packet; readonly isSealed: boolean } & (
  | { readonly kind: 'handshake'; readonly hello: MessageOf<typeof handshakeRequest> }
  | { readonly kind: 'ping' | 'pong' }
  | {
      readonly kind: 'call'
      readonly name: RpcMethodName
      readonly rpc: RpcMessage
      readonly request: Uint8Array
    }
  | {
      readonly kind: 'answer'
      readonly name: RpcMethodName
      readonly rpc: RpcMessage
      readonly answer: RpcAnswer
    }
  | {
      readonly kind: 'stream'
      readonly stream: StreamPacket
      readonly route?: StreamRoute
      readonly segments: readonly KcpSegment[]
    }
  | { readonly kind: 'ip'; readonly payload: Uint8Array }
)

export type Kind = Meaning['kind']
export type MeaningOf<K extends Kind> = Extract<Meaning, { readonly kind: K }>

/**
 * Reads the packets of one direction in their order.
 * @returns a function that gives undefined for a piece of a call that is not whole yet, and throws for what cannot be read
 */
export function createMeaningReader(identity: NetworkIdentity): (bytes: Uint8Array) => Meaning | undefined {
  const seal = createPacketCipher(networkKey(identity.secret), noise)
  const assembly = createRpcAssembly()

  return (bytes) => {
    const packet = decodePacket(bytes)
    const payload = packet && seal.open(packet)
    if (!packet || !payload) throw new Error('no packet of this network')
    const about = { packet, isSealed: (packet.flags & packetFlags.encrypted) !== 0 }
    switch (packet.type) {
      case packetTypes.handshake:
        return { ...about, kind: 'handshake', hello: known(handshakeRequest.decode(payload)) }
      case packetTypes.ping:
        return { ...about, kind: 'ping' }
      case packetTypes.pong:
        return { ...about, kind: 'pong' }
      case packetTypes.rpcRequest:
      case packetTypes.rpcResponse: {
        const rpc = assembly.add(known(decodePiece(payload)), 0)
        return rpc && { ...about, ...rpcMeaning(rpc) }
      }
      case packetTypes.kcpSource:
      case packetTypes.kcpDestination:
        return { ...about, kind: 'stream', ...streamMeaning(known(decodeStreamPacket(payload))) }
      case packetTypes.data:
        return { ...about, kind: 'ip', payload }
      default:
        throw new Error(`a packet of type ${packet.type}`)
    }
  }
}

/** Of one kind, in their order. */
export function ofKind<K extends Kind>(meanings: readonly Meaning[], kind: K): MeaningOf<K>[] {
  return meanings.filter((meaning): meaning is MeaningOf<K> => meaning.kind === kind)
}

/** One side's half of a stream, without what is its own business: times, windows, how often it repeats or acknowledges. */
export type Conversation = {
  readonly triple: readonly number[]
  /** Of each packet until there is data, and of the last one. */
  readonly opening: readonly number[]
  readonly closing: number
  readonly route: StreamRoute['destination'] | undefined
  readonly data: Uint8Array
  /** Segments of the other side that are known to have arrived, from the first on. */
  readonly acknowledged: number
}

/** @throws Error when there is another conversation beside the first */
export function conversationOf(packets: readonly MeaningOf<'stream'>[]): Conversation {
  const first = known(packets[0])
  const { conv, source, destination } = first.stream
  // Ours asks which packets arrive, by pings that the real program answers.
  const said = packets.filter(({ stream }) => (stream.flags & streamFlags.ping) === 0)
  for (const { stream } of packets)
    if (stream.conv !== conv) throw new Error(`another conversation: ${stream.conv}`)
  const segments = said.flatMap((packet) => packet.segments)
  const start = said.findIndex((packet) => packet.segments.length > 0)
  const parts = new Map(
    segments.filter(({ command }) => command === PUSH).map(({ sequence, data }) => [sequence, data]),
  )
  const acks = segments.filter(({ command }) => command === ACK).map(({ sequence }) => sequence + 1)
  return {
    triple: [conv, source, destination],
    opening: said.slice(0, start).map(({ stream }) => stream.flags),
    closing: known(packets.findLast(({ stream }) => (stream.flags & streamFlags.fin) !== 0)).stream.flags,
    route: first.route?.destination,
    data: Buffer.concat([...parts].sort(([one], [other]) => one - other).map(([, data]) => data)),
    acknowledged: Math.max(0, ...acks, ...segments.map(({ unacknowledged }) => unacknowledged)),
  }
}

const PUSH = 81
const ACK = 82

function rpcMeaning(rpc: RpcMessage) {
  const name = known(rpcMethodNamed(rpc.method.service, rpc.method.method))
  if (rpc.isRequest) return { kind: 'call', name, rpc, request: known(readCall(rpc)).request } as const
  return { kind: 'answer', name, rpc, answer: known(readAnswer(rpc)) } as const
}

function streamMeaning(stream: StreamPacket) {
  const route = stream.flags === streamFlags.syn ? decodeStreamRoute(stream.body) : undefined
  const segments = stream.flags & streamFlags.data ? known(decodeSegments(stream.body)) : []
  return { stream, segments, ...(route && { route }) }
}

function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('damaged')
  return value
}
