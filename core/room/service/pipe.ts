import type { ByteStream } from '#core/byteStream'

/**
 * Carries bytes both ways until either side closes; what the closing side sent before still arrives.
 * Both are closed when it resolves, and cut when the signal aborts. Never rejects.
 */
export async function pipe(one: ByteStream, other: ByteStream, signal: AbortSignal): Promise<void> {
  const cut = () => {
    one.destroy()
    other.destroy()
  }
  if (signal.aborted) cut()
  signal.addEventListener('abort', cut, { once: true })
  await Promise.all([carry(one, other, cut), carry(other, one, cut)])
  await Promise.all([one.closed, other.closed])
  signal.removeEventListener('abort', cut)
}

async function carry(from: ByteStream, to: ByteStream, cut: () => void): Promise<void> {
  try {
    for (let bytes = await from.read(); bytes; bytes = await from.read()) await to.write(bytes)
    await to.end()
  } catch {
    // Broken at one side is broken at both: there is nobody to tell but the programs at the ends.
    cut()
  }
}
