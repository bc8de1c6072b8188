import { type NetworkIdentity, secretDigest } from '#internal/easytier/crypto/networkIdentity'
import { createRelay } from '#internal/easytier/relay/relay'
import type { RelayLimits } from '#internal/easytier/relay/relayOptions'
import { createRpcAssembly } from '#internal/easytier/rpc/rpcAssembly'
import { encodeCallBody, readAnswer, readCall } from '#internal/easytier/rpc/rpcMessage'
import { decodePiece, encodePieces } from '#internal/easytier/rpc/rpcPiece'
import type { Connection } from '#internal/easytier/transport/transports'
import { HANDSHAKE_MAGIC, handshakeRequest, rpcMethods } from '#internal/easytier/wire/messages'
import {
  decodePacket,
  encodePacket,
  encodePong,
  type Packet,
  packetTypes,
} from '#internal/easytier/wire/packet'
import type { Row } from '#internal/easytier/wire/routeSync'
import { createFakeClock, type FakeClock } from '#support/network/fakeClock'
import { createFarEnd, type FarEnd } from '#support/network/replayTransports'
import { createPrng } from '#support/values/prng'
import { silentLog } from '#support/values/testLog'
import { encodeRouteSyncAs } from '../wire/encodeRouteSyncAs'

/** A relay on a clock of the test, and people at their ends of links to it. */
export type Meeting = {
  readonly relay: ReturnType<typeof createRelay>
  readonly clock: FakeClock
  connect(from?: string): Visitor
  /** A visitor whose handshake is done. */
  enter(room: NetworkIdentity, peerId: number, from?: string): Promise<Visitor>
}

export type Visitor = {
  /** Everything that the relay sent, oldest first. */
  readonly packets: Packet[]
  readonly raw: Uint8Array[]
  readonly isClosed: boolean
  send(packet: Uint8Array): void
  hang(): void
  /** Answers nothing any more, without a word: the cable is out. */
  fallSilent(): void
}

export const ROOM: NetworkIdentity = { name: 'scaffolding-mc-AAAA-AAAA', secret: 'BBBB-BBBB' }
export const OTHER_ROOM: NetworkIdentity = { name: 'scaffolding-mc-CCCC-CCCC', secret: 'BBBB-BBBB' }

const LIMITS: RelayLimits = {
  networks: 10,
  membersPerNetwork: 8,
  connectionsPerAddress: 100,
  bytesPerSecond: 1e6,
}

/** @param firstId peer id of the relay in the first room */
export function openMeeting(
  limits: Partial<RelayLimits> = {},
  firstId?: number,
  accepts?: (name: string) => boolean,
): Meeting {
  const clock = createFakeClock()
  const chance = createPrng(1)
  const drawn = firstId === undefined ? [] : [bigEndian(firstId)]
  const relay = createRelay({
    hostname: 'test',
    version: '2.6.4',
    clock,
    log: silentLog(),
    limits: { ...LIMITS, ...limits },
    ...(accepts && { accepts }),
    randomBytes: (size) => drawn.pop() ?? chance.bytes(size),
  })
  const meeting: Meeting = {
    relay,
    clock,
    connect(from = '192.0.2.1') {
      const { visitor, link } = createVisitor(from)
      relay.take(link)
      return visitor
    },
    async enter(room, peerId, from) {
      const visitor = meeting.connect(from)
      visitor.send(hello(room, peerId))
      await clock.advance(0)
      return visitor
    },
  }
  return meeting
}

/** The first packet of somebody who knows the room. */
export function hello(
  { name, secret }: NetworkIdentity,
  peerId: number,
  digest: Uint8Array = secretDigest({ name, secret }),
): Uint8Array {
  const payload = handshakeRequest.encode({
    magic: HANDSHAKE_MAGIC,
    myPeerId: peerId,
    version: 1,
    networkName: name,
    networkSecretDigest: digest,
  })
  return encodePacket({ from: peerId, to: 0, type: packetTypes.handshake }, payload)
}

/** What the relay calls itself in its answer to a handshake. */
export function relayId({ packets }: Visitor): number {
  const [first] = packets
  const answer = first?.type === packetTypes.handshake ? handshakeRequest.decode(first.payload) : undefined
  if (!answer) throw new Error('the relay has not answered')
  return answer.myPeerId
}

/** Calls a method of the relay. @returns what it answered by now */
export async function ask(
  { clock }: Meeting,
  visitor: Visitor,
  peerId: number,
  method: { readonly domain?: string; readonly service: string; readonly method: number },
  request: Uint8Array,
) {
  const to = relayId(visitor)
  const before = visitor.packets.length
  const pieces = encodePieces({
    from: peerId,
    to,
    transactionId: '77',
    isRequest: true,
    method: { domain: ROOM.name, ...method },
    body: encodeCallBody({ request, timeoutMs: 3000 }),
  })
  for (const piece of pieces)
    visitor.send(encodePacket({ from: peerId, to, type: packetTypes.rpcRequest }, piece))
  await clock.advance(0)
  const [message] = messagesOf(visitor.packets.slice(before), packetTypes.rpcResponse)
  return message && { from: message.from, transactionId: message.transactionId, answer: readAnswer(message) }
}

/** Tells the relay rows and records, as members do. @returns what it answered by now */
export function tell(
  meeting: Meeting,
  visitor: Visitor,
  what: { readonly rows: readonly Row[]; readonly records: readonly Uint8Array[] },
  from = 3,
) {
  const sync = { from, sessionId: '5', isInitiator: true, rowsAs: 'list', ...what } as const
  return ask(meeting, visitor, from, rpcMethods.syncRouteInfo, encodeRouteSyncAs(sync))
}

/** The requests of the relay's own calls among these packets. */
export function callsOf(packets: readonly Packet[]) {
  return messagesOf(packets, packetTypes.rpcRequest).flatMap((message) => {
    const { from, transactionId, method } = message
    const call = readCall(message)
    return call ? [{ ...method, from, transactionId, ...call }] : []
  })
}

/** The messages in packets of one type of call or answer. */
export function messagesOf(packets: readonly Packet[], type: number) {
  const assembly = createRpcAssembly()
  return packets
    .filter((packet) => packet.type === type)
    .flatMap(({ payload }) => {
      const piece = decodePiece(payload)
      return (piece && assembly.add(piece, 0)) ?? []
    })
}

function bigEndian(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value)
  return bytes
}

function createVisitor(address: string): { visitor: Visitor; link: Connection } {
  const packets: Packet[] = []
  const raw: Uint8Array[] = []
  let isSilent = false
  const far: FarEnd = createFarEnd((bytes) => {
    const packet = decodePacket(bytes)
    if (!packet) throw new Error('the relay sent no packet')
    raw.push(bytes)
    packets.push(packet)
    // As every peer does, or the relay would take it for dead.
    if (packet.type === packetTypes.ping && !isSilent) far.hand(encodePong(bytes))
  }, address)
  const visitor: Visitor = {
    packets,
    raw,
    hang: far.end,
    fallSilent() {
      isSilent = true
    },
    get isClosed() {
      return far.isClosed
    },
    send: far.hand,
  }
  return { visitor, link: far.link }
}
