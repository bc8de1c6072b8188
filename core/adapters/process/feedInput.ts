import type { Writable } from 'node:stream'

/**
 * Writes to a program's standard input at the pace of its reading, and ends it. A program may exit, or close its
 * input, before it has read everything; its exit code says whether that was right. Rejects only with what the source
 * throws.
 */
export async function feedInput(
  stdin: Writable | null,
  source: Uint8Array | AsyncIterable<Uint8Array> | undefined,
): Promise<void> {
  if (stdin === null || source === undefined) return
  stdin.on('error', () => undefined)
  if (source instanceof Uint8Array) {
    stdin.end(source)
    return
  }
  for await (const chunk of source) {
    if (!stdin.destroyed && !stdin.write(chunk)) await drained(stdin)
    if (stdin.destroyed) return
  }
  stdin.end()
}

function drained(stdin: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stdin.off('drain', done)
      stdin.off('close', done)
      resolve()
    }
    stdin.once('drain', done)
    stdin.once('close', done)
  })
}
