import { type MessageOf, rpcPacket } from '../wire/messages'
import { LEAST_PATH_PAYLOAD, MAX_PATH_PAYLOAD } from '../wire/packet'
import { MAX_RPC_BODY_SIZE, type RpcMessage } from './rpcMessage'

/** Field number and a length of two bytes. */
const BODY_HEADER_SIZE = 3

/** Names of a peer that is not an honest one may fill a packet. */
const LEAST_BODY_SIZE = 32

export const MAX_PIECES = 64
/** Maximum length of the names in a descriptor: a response repeats them, and they are not cut into pieces. */
const MAX_NAME_LENGTH = 128

const NOT_COMPRESSED = 1

/** One packet's part of a request or response. */
export type RpcPiece = Omit<RpcMessage, 'method' | 'compression'> & {
  /** In the first piece only; also undefined if its names are too long. */
  readonly method: RpcMessage['method'] | undefined
  readonly compression: number
  readonly total: number
  readonly index: number
}

/**
 * The payloads of the packets that carry a message, which pass every path where they are not too many.
 * @throws RangeError when the body is longer than 64 KiB: the caller must bound it
 */
export function encodePieces(message: Omit<RpcMessage, 'compression'>): Uint8Array[] {
  const { body } = message
  if (body.length > MAX_RPC_BODY_SIZE) throw new RangeError(`a call of ${body.length} bytes`)
  // Most messages fit into one piece, which is tried before anything is measured.
  const whole =
    body.length < LEAST_PATH_PAYLOAD ? encodePiece(message, { body, total: 1, index: 0 }) : undefined
  if (whole && whole.length <= LEAST_PATH_PAYLOAD) return [whole]
  const pieces = cutBody(message, LEAST_PATH_PAYLOAD)
  return pieces.length <= MAX_PIECES ? pieces : cutBody(message, MAX_PATH_PAYLOAD)
}

function cutBody(message: Omit<RpcMessage, 'compression'>, limit: number): Uint8Array[] {
  const { body } = message
  const firstSize = bodySizeOf(message, 0, limit)
  const nextSize = bodySizeOf(message, 1, limit)
  const total = 1 + Math.ceil(Math.max(0, body.length - firstSize) / nextSize)
  return Array.from({ length: total }, (_, index) => {
    const start = index === 0 ? 0 : firstSize + (index - 1) * nextSize
    const end = start + (index === 0 ? firstSize : nextSize)
    return encodePiece(message, { body: body.subarray(start, end), total, index })
  })
}

/** @returns undefined when it is damaged, or has more than 64 pieces or an index beyond the last one */
export function decodePiece(payload: Uint8Array): RpcPiece | undefined {
  const packet = rpcPacket.decode(payload)
  if (packet === undefined) return undefined
  // Old nodes send 0 for one piece.
  const total = Math.max(1, packet.totalPieces)
  if (total > MAX_PIECES || packet.pieceIdx >= total) return undefined
  return {
    from: packet.fromPeer,
    to: packet.toPeer,
    transactionId: packet.transactionId,
    isRequest: packet.isRequest,
    method: methodOf(packet.descriptor),
    body: packet.body,
    compression: packet.compressionInfo?.algo ?? 0,
    total,
    index: packet.pieceIdx,
  }
}

type Part = { readonly body: Uint8Array; readonly total: number; readonly index: number }

function encodePiece(message: Omit<RpcMessage, 'compression'>, { body, total, index }: Part): Uint8Array {
  const { domain, service, method } = message.method
  const ofFirst = {
    descriptor: { domainName: domain, protoName: service, serviceName: service, methodIndex: method },
    compressionInfo: { algo: NOT_COMPRESSED, acceptedAlgo: NOT_COMPRESSED },
  }
  return rpcPacket.encode({
    fromPeer: message.from,
    toPeer: message.to,
    transactionId: message.transactionId,
    body,
    isRequest: message.isRequest,
    totalPieces: total,
    pieceIdx: index,
    ...(index === 0 ? ofFirst : {}),
  })
}

/** Space for the body in a piece, besides everything else; one or two bytes less than possible at most. */
function bodySizeOf(message: Omit<RpcMessage, 'compression'>, index: number, limit: number): number {
  const rest = encodePiece(message, {
    body: new Uint8Array(0),
    total: MAX_PIECES,
    index: index && MAX_PIECES,
  })
  return Math.max(LEAST_BODY_SIZE, limit - rest.length - BODY_HEADER_SIZE)
}

function methodOf(descriptor: MessageOf<typeof rpcPacket>['descriptor']): RpcMessage['method'] | undefined {
  if (descriptor === undefined) return undefined
  const { domainName, serviceName, methodIndex } = descriptor
  if (domainName.length > MAX_NAME_LENGTH || serviceName.length > MAX_NAME_LENGTH) return undefined
  return { domain: domainName, service: serviceName, method: methodIndex }
}
