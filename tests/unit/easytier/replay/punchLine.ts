import type { Clock } from '@lantern-room/base/async'
import { type Endpoint, rpcMethods } from '@lantern-room/easytier/wire'
import type { MessageOf } from '#internal/easytier/wire/messages'
import { fromSocketAddr, toSocketAddr } from '#internal/easytier/wire/socketAddress'
import { decodeStun, encodeStunResponse, isStun } from '#internal/easytier/wire/stun'
import { decodeDatagram, encodeDatagram } from '#internal/easytier/wire/udpFrame'
import type { FarSocket } from '#support/network/replayTransports'
import { type MeaningOf, ofKind } from './packetMeaning'
import type { RecordedEvent, RecordedSession } from './recordedSession'

/**
 * The UDP of a recorded punching. It was recorded on loopback, where nothing is punched: both sides get public addresses
 * instead, ours as the STUN servers here tell it. Numbers that our side draws (tid, connection id) take the place of the
 * recorded ones.
 */
export type PunchLine = ReturnType<typeof createPunchLine>

export type SentDatagram = {
  readonly at: number
  readonly type: string
  readonly connectionId: number
  readonly to: Endpoint
  readonly port: number
}

export const STUN_SERVERS = ['192.0.2.53:3478', '192.0.2.54:3478']
const OURS = '198.51.100.1'
const REAL = '198.51.100.2'

const { selectPunchListener, sendPunchPacketCone } = rpcMethods

export function createPunchLine(
  { events, role }: RecordedSession,
  clock: Clock,
  sockets: () => readonly FarSocket[],
  onPacket: (packet: Uint8Array) => void,
) {
  const real = { address: REAL, port: realPort(events) }
  const sent: SentDatagram[] = []
  let ownPort: number | undefined
  let tid: number | undefined
  let connectionId: number | undefined
  const hand = (bytes: Uint8Array) =>
    sockets()
      .find(({ port }) => port === ownPort)
      ?.hand(bytes, real)

  return {
    sent,
    /** What our sockets send. */
    onDatagram(bytes: Uint8Array, to: Endpoint, socket: FarSocket) {
      if (isStun(bytes)) {
        const request = decodeStun(bytes)
        if (request?.kind !== 'request') return
        const answer = encodeStunResponse(request.transactionId, { address: OURS, port: socket.port })
        clock.after(0.3, () => socket.hand(answer, to))
        return
      }
      const datagram = decodeDatagram(bytes)
      if (!datagram || to.address !== REAL) return
      if (datagram.type === 'data') return onPacket(datagram.body)
      const { type, connectionId: id, body } = datagram
      sent.push({ at: clock.now(), type, connectionId: id, to, port: socket.port })
      if (type !== 'syn' || role !== 'guest') return
      connectionId = id
      clock.after(0.2, () => hand(encodeDatagram('sack', id, body)))
    },
    /** What came from the real program beside packets. */
    hand({ bytes, datagram }: Extract<RecordedEvent['what'], { kind: 'datagram' }>) {
      if (datagram === 'stun') return
      if (datagram.type === 'syn') connectionId = datagram.connectionId
      if (datagram.type === 'syn') hand(bytes)
      else if (datagram.type === 'holePunch')
        hand(
          encodeDatagram('holePunch', role === 'guest' ? (tid ?? 0) : datagram.connectionId, datagram.body),
        )
    },
    handPacket: (packet: Uint8Array) =>
      void (connectionId !== undefined && hand(encodeDatagram('data', connectionId, packet))),
    /** Our own calls and answers tell which socket and which number it is. */
    said(meaning: MeaningOf<'call'> | MeaningOf<'answer'>) {
      if (meaning.kind === 'call' && meaning.name === 'sendPunchPacketCone') {
        const call = sendPunchPacketCone.request.decode(meaning.request)
        ownPort = fromSocketAddr(call?.destAddr)?.port
        tid = call?.transactionId
      } else if (meaning.kind === 'answer' && meaning.name === 'selectPunchListener') {
        if (meaning.answer.kind !== 'response') return
        const answer = selectPunchListener.response.decode(meaning.answer.response)
        ownPort = fromSocketAddr(answer?.listenerMappedAddr)?.port
      }
    },
    /** The real program's answers and calls, with the addresses of this line. */
    answerOf: (name: string, response: Uint8Array) =>
      name === 'selectPunchListener'
        ? selectPunchListener.response.encode({ listenerMappedAddr: toSocketAddr(real) })
        : response,
    requestOf(name: string, request: Uint8Array) {
      const call = name === 'sendPunchPacketCone' ? sendPunchPacketCone.request.decode(request) : undefined
      if (!call) return request
      const listenerMappedAddr = toSocketAddr({ address: OURS, port: ownPort ?? 0 })
      return sendPunchPacketCone.request.encode({
        ...countsOf(call),
        listenerMappedAddr,
        destAddr: toSocketAddr(real),
      })
    },
  }
}

function countsOf(call: MessageOf<typeof sendPunchPacketCone.request>) {
  const { transactionId, packetCountPerBatch, packetBatchCount, packetIntervalMs } = call
  return { transactionId, packetCountPerBatch, packetBatchCount, packetIntervalMs }
}

/** Where the real program was to be punched: it says so in its answer, or in its call. */
function realPort(events: readonly RecordedEvent[]): number {
  const said = events.flatMap(({ isNative, what }) =>
    !isNative && what.kind === 'packet' ? (what.meaning ?? []) : [],
  )
  for (const { name, answer } of ofKind(said, 'answer')) {
    if (name !== 'selectPunchListener' || answer.kind !== 'response') continue
    const address = selectPunchListener.response.decode(answer.response)?.listenerMappedAddr
    return fromSocketAddr(address)?.port ?? 0
  }
  const call = ofKind(said, 'call').find(({ name }) => name === 'sendPunchPacketCone')
  const address = call && sendPunchPacketCone.request.decode(call.request)?.destAddr
  return fromSocketAddr(address)?.port ?? 0
}
