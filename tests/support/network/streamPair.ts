import { createDeferred } from '@lantern-room/base/async'
import type { ByteStream } from '@lantern-room/base/bytes'

/**
 * Both ends of a stream in memory: pieces arrive as they were written, never merged. What `end` leaves is
 * delivered when the other side has read it (or closed); `destroy` breaks the other side at once.
 * @param capacity bytes that one direction holds before `write` waits
 */
export function streamPair({ capacity = 64 * 1024 } = {}): [ByteStream, ByteStream] {
  const there = createLane(capacity)
  const back = createLane(capacity)
  return [createEnd(back, there), createEnd(there, back)]
}

/** One direction. */
type Lane = {
  read(): Promise<Uint8Array | undefined>
  write(bytes: Uint8Array): Promise<void>
  /** No more bytes; what is in it can still be read. Resolves when it is empty. */
  finish(): Promise<void>
  /** What is in it is lost. Readers get the error, or the orderly end when there is none. */
  cut(error?: Error): void
  /** Resolves when nothing is in it and nothing more can come. */
  readonly drained: Promise<void>
}

function createLane(capacity: number): Lane {
  const pieces: Uint8Array[] = []
  let held = 0
  let isFinished = false
  let isCut = false
  let broken: Error | undefined
  let reader: (() => void) | undefined
  let writers: (() => void)[] = []
  const drained = createDeferred()

  const wake = () => {
    reader?.()
    reader = undefined
    const waiting = writers
    writers = []
    for (const writer of waiting) writer()
    if (isFinished && held === 0) drained.resolve()
  }

  return {
    drained: drained.promise,
    async read() {
      if (reader) throw new Error('A read is under way already.')
      while (pieces.length === 0 && !isFinished) {
        await new Promise<void>((resolve) => {
          reader = resolve
        })
      }
      if (broken) throw broken
      const piece = pieces.shift()
      if (!piece) return undefined
      held -= piece.length
      wake()
      return piece
    },
    async write(bytes) {
      if (isFinished) throw closedError()
      if (bytes.length === 0) return
      pieces.push(bytes.slice())
      held += bytes.length
      reader?.()
      reader = undefined
      while (held > capacity) {
        await new Promise<void>((resolve) => writers.push(resolve))
        if (isCut) throw broken ?? closedError()
      }
    },
    finish() {
      isFinished = true
      wake()
      return drained.promise
    },
    cut(error) {
      if (isFinished && held === 0) return
      isFinished = true
      isCut = true
      broken = error
      pieces.length = 0
      held = 0
      wake()
    },
  }
}

function createEnd(incoming: Lane, outgoing: Lane): ByteStream {
  const closed = Promise.all([incoming.drained, outgoing.drained]).then(() => {})
  const end = async () => {
    incoming.cut()
    await outgoing.finish()
  }
  return {
    closed,
    write: (bytes) => outgoing.write(bytes),
    end,
    read: () => incoming.read(),
    destroy() {
      incoming.cut(closedError())
      outgoing.cut(new Error('The other side broke the stream.'))
    },
  }
}

function closedError(): Error {
  return new Error('The stream is closed.')
}
