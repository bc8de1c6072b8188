import { raceSignal } from '@lantern-room/base/async'

/**
 * A body chunk by chunk. It is cancelled when the reader stops early or the signal aborts.
 * @throws what the body's stream throws; the signal's reason
 */
export async function* readBody(
  body: ReadableStream<Uint8Array> | null,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  if (body === null) return
  const reader = body.getReader()
  let isAtEnd = false
  try {
    while (!isAtEnd) {
      const { done, value } = await raceSignal(reader.read(), signal)
      isAtEnd = done
      if (value !== undefined) yield value
    }
  } finally {
    if (!isAtEnd) await reader.cancel().catch(() => undefined)
  }
}
