import { createByteQueue } from '../kcp/byteQueue'
import { distance } from '../kcp/segments'

export type TcpReceiver = {
  /** Sequence number of the next byte in order. */
  readonly next: number
  /** Bytes that may be sent beyond it. */
  readonly window: number
  readonly readable: number
  /** All up to the other side's FIN is here. */
  readonly hasEnded: boolean
  /** Whether a piece is missing before others. */
  readonly hasGap: boolean
  /** @returns whether it was the next one in order */
  take(sequence: number, data: Uint8Array, isFin: boolean): boolean
  read(): Uint8Array | undefined
  /** Drops what has come and what will come. */
  discard(): void
}

export const TCP_WINDOW = 256 * 1024
const MAX_EARLY = 256
const MAX_READ = 64 * 1024

type Early = { readonly data: Uint8Array; readonly isFin: boolean }

/** The receiving half of a connection: order and window. */
export function createTcpReceiver(first: number): TcpReceiver {
  const queue = createByteQueue()
  /** By sequence number. */
  const early = new Map<number, Early>()
  let next = first
  let hasEnded = false
  let isDiscarding = false

  const window = () => Math.max(0, TCP_WINDOW - queue.size)
  const append = (data: Uint8Array, isFin: boolean) => {
    if (!isDiscarding) queue.add(data)
    next = (next + data.length + (isFin ? 1 : 0)) >>> 0
    hasEnded = isFin
  }
  /** Without the bytes that have been received already. @returns whether any were new */
  const appendFrom = (sequence: number, data: Uint8Array, isFin: boolean): boolean => {
    const known = distance(next, sequence)
    if (hasEnded || known < 0 || known > data.length || (known === data.length && !isFin)) return false
    append(data.subarray(known), isFin)
    return true
  }
  const appendEarly = () => {
    for (let found = true; found; ) {
      found = false
      for (const [sequence, { data, isFin }] of early) {
        if (distance(sequence, next) > 0) continue
        early.delete(sequence)
        found = appendFrom(sequence, data, isFin) || found
      }
    }
  }

  const keepEarly = (sequence: number, data: Uint8Array, isFin: boolean) => {
    if (early.size < MAX_EARLY && !early.has(sequence)) early.set(sequence, { data: data.slice(), isFin })
  }

  return {
    get next() {
      return next
    },
    get window() {
      return window()
    },
    get readable() {
      return queue.size
    },
    get hasEnded() {
      return hasEnded
    },
    get hasGap() {
      return early.size > 0
    },
    take(sequence, data, isFin) {
      const ahead = distance(sequence, next)
      if (ahead + data.length > window()) return false
      if (ahead > 0) {
        keepEarly(sequence, data, isFin)
        return false
      }
      const isNew = appendFrom(sequence, data.slice(), isFin)
      if (isNew && early.size > 0) appendEarly()
      return isNew
    },
    read() {
      const bytes = queue.take(MAX_READ)
      return bytes.length > 0 ? bytes : undefined
    },
    discard() {
      isDiscarding = true
      queue.clear()
    },
  }
}
