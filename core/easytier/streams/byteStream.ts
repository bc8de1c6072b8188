import type { ByteStream } from '#core/byteStream'
import type { StreamHandle } from './streamConnection'
import { StreamError } from './streamError'

/** Bytes that may wait to be sent before `write` does. */
const MOST_QUEUED = 256 * 1024

/** What a ByteStream can be made of: a KCP stream, or a connection of the TCP responder. */
export type StreamSource = Pick<
  StreamHandle,
  'queued' | 'readable' | 'state' | 'error' | 'read' | 'write' | 'end' | 'destroy' | 'onChange'
> & { /** The other side sends nothing more, though it may still read. */ readonly hasEnded?: boolean }

/**
 * The stream as the layers above take it, with back-pressure both ways: the other side may send on when bytes were
 * read here, and `write` waits while more than 256 KiB have not left.
 */
export function createByteStream(source: StreamSource): ByteStream {
  let waiting: (() => void)[] = []
  let isReading = false
  let hasEnded = false
  let tellClosed = () => {}
  const closed = new Promise<void>((resolve) => {
    tellClosed = resolve
  })

  const changed = () => {
    if (source.state === 'closed' && source.readable === 0) tellClosed()
    if (waiting.length === 0) return
    const callers = waiting
    waiting = []
    for (const caller of callers) caller()
  }
  const isClosed = () => source.state === 'closed'
  const change = () => new Promise<void>((resolve) => waiting.push(resolve))
  source.onChange(changed)
  changed()

  return {
    closed,
    async read() {
      if (isReading) throw new Error('A read is under way already.')
      isReading = true
      try {
        for (;;) {
          const bytes = source.read()
          if (bytes) return bytes
          if (source.error) throw source.error
          if (source.state === 'closed' || source.hasEnded || hasEnded) return undefined
          await change()
        }
      } finally {
        isReading = false
        changed()
      }
    },
    async write(bytes) {
      if (source.state !== 'open') throw source.error ?? new StreamError('closed')
      source.write(bytes)
      while (source.queued > MOST_QUEUED) {
        await change()
        if (isClosed()) throw source.error ?? new StreamError('closed')
      }
    },
    async end() {
      hasEnded = true
      source.end()
      while (source.state !== 'closed') await change()
    },
    destroy() {
      hasEnded = true
      source.destroy()
      changed()
    },
  }
}
