import { concatBytes } from '@lantern-room/base/bytes'
import { createBoundedParts } from '../boundedParts'
import { MAX_RPC_BODY_SIZE, type RpcMessage } from './rpcMessage'
import type { RpcPiece } from './rpcPiece'

/** Joins pieces to messages of 64 KiB at most. */
export function createRpcAssembly() {
  const open = createBoundedParts<Open>()

  return {
    /** Number of incomplete messages. */
    get size(): number {
      return open.size
    },
    /**
     * Adds a piece; pieces may arrive in any order, also over TCP.
     * @param now monotonic time in milliseconds
     * @returns the message once its last piece has arrived; it does not share memory with the pieces unless it has only
     * one
     */
    add(piece: RpcPiece, now: number): RpcMessage | undefined {
      if (piece.total === 1) return joined(piece, piece.body)
      const key = `${piece.from} ${piece.transactionId} ${piece.isRequest}`
      const message = open.get(key, now) ?? open.start(key, piece.from, newlyOpen(piece), now)
      if (message.total !== piece.total || message.parts.has(piece.index)) return undefined
      message.size += piece.body.length
      if (message.size > MAX_RPC_BODY_SIZE) {
        open.delete(key)
        return undefined
      }
      // A copy: the piece is a view of a packet, which may be a view of a large buffer.
      message.parts.set(piece.index, { ...piece, body: Uint8Array.from(piece.body) })
      if (message.parts.size < message.total) return undefined
      open.delete(key)
      return joinParts(message)
    },
  }
}

type Open = {
  readonly total: number
  readonly parts: Map<number, RpcPiece>
  size: number
}

function newlyOpen({ total }: RpcPiece): Open {
  return { total, parts: new Map(), size: 0 }
}

function joinParts({ parts, total }: Open): RpcMessage | undefined {
  const ordered = Array.from({ length: total }, (_, index) => parts.get(index)).flatMap((part) => part ?? [])
  const [first] = ordered
  return first && joined(first, concatBytes(ordered.map(({ body }) => body)))
}

/** The first piece has the descriptor; without a method the message is useless. */
function joined(first: RpcPiece, body: Uint8Array): RpcMessage | undefined {
  const { from, to, transactionId, isRequest, method, compression } = first
  if (method === undefined || body.length > MAX_RPC_BODY_SIZE) return undefined
  return { from, to, transactionId, isRequest, method, body, compression }
}
