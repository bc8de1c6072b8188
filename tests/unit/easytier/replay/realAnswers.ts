import { packetTypes, rpcMethods } from '@lantern-room/easytier/wire'
import { networkKey } from '#internal/easytier/crypto/networkIdentity'
import { createPacketCipher } from '#internal/easytier/crypto/packetCipher'
import { encodeAnswerBody, encodeCallBody } from '#internal/easytier/rpc/rpcMessage'
import { encodePieces } from '#internal/easytier/rpc/rpcPiece'
import { encodePacket } from '#internal/easytier/wire/packet'
import { noise } from '#support/values/bytes'
import type { MeaningOf } from './packetMeaning'
import type { RecordedSession } from './recordedSession'

type Answer = {
  /** When the real program gave it. */
  readonly at: number
  readonly packets: readonly Uint8Array[]
}

/** What a message says on another line than the recorded one. */
export type Translate = (name: string, message: Uint8Array) => Uint8Array

/**
 * What the real program answers to our calls: for each method what it answered to the native side's, one after the other, and
 * the last again where ours asks more often. The number of the call is ours.
 * @returns undefined for a call that it was never asked
 */
export function realAnswers(
  { events, identity }: RecordedSession,
  translate: Translate,
): (call: MeaningOf<'call'>) => Answer | undefined {
  const seal = createPacketCipher(networkKey(identity.secret), noise)
  const recorded = new Map<string, { at: number; meaning: MeaningOf<'answer'> }[]>()
  for (const { at, isNative, what } of events) {
    if (isNative || what.kind !== 'packet' || what.meaning?.kind !== 'answer') continue
    const key = `${what.meaning.name} ${what.meaning.packet.from}`
    recorded.set(key, [...(recorded.get(key) ?? []), { at, meaning: what.meaning }])
  }

  return (call) => {
    const left = recorded.get(`${call.name} ${call.packet.to}`) ?? []
    const [next] = left.length > 1 ? left.splice(0, 1) : left
    if (next) return { at: next.at, packets: packetsOf(call, next.meaning) }
    // Ours asks a member for that before it punches; every real one answers.
    if (call.name !== 'getGlobalPeerMap') return undefined
    const answer = { kind: 'response', response: rpcMethods.getGlobalPeerMap.response.encode({}) } as const
    return { at: 0, packets: packetsOf(call, { answer, isSealed: call.isSealed }) }
  }

  function packetsOf(
    { name, rpc, packet }: MeaningOf<'call'>,
    { answer, isSealed }: Pick<MeaningOf<'answer'>, 'answer' | 'isSealed'>,
  ) {
    const [from, to] = [packet.to, packet.from]
    const { transactionId, method } = rpc
    const header = { from, to, type: packetTypes.rpcResponse }
    const body = encodeAnswerBody(
      answer.kind === 'response' ? { ...answer, response: translate(name, answer.response) } : answer,
    )
    return encodePieces({ from, to, transactionId, method, isRequest: false, body }).map((piece) =>
      isSealed ? seal.seal(header, piece).slice() : encodePacket(header, piece),
    )
  }
}

/** A recorded call of the real program with another request, otherwise as it was. */
export function realCall(
  { identity }: RecordedSession,
  { rpc, packet, isSealed, request }: MeaningOf<'call'>,
  translated: Uint8Array,
  bytes: Uint8Array,
): readonly Uint8Array[] {
  if (translated === request) return [bytes]
  const seal = createPacketCipher(networkKey(identity.secret), noise)
  const { from, to, type, forwards } = packet
  const { transactionId, method } = rpc
  const body = encodeCallBody({ request: translated, timeoutMs: 3000 })
  return encodePieces({ from, to, transactionId, method, isRequest: true, body }).map((piece) => {
    const header = { from, to, type, forwards }
    return isSealed ? seal.seal(header, piece).slice() : encodePacket(header, piece)
  })
}
