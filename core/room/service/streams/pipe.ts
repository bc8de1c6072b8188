import { onAbort } from '@lantern-room/base/async'
import type { ByteStream, DatagramFlow } from '@lantern-room/base/bytes'

/**
 * Copies bytes both ways until either side closes; bytes sent before the close are still delivered.
 * Resolves, and never rejects, when both are closed; an abort of the signal closes both at once.
 */
export async function pipe(one: ByteStream, other: ByteStream, signal: AbortSignal): Promise<void> {
  const destroyBoth = () => {
    one.destroy()
    other.destroy()
  }
  const unsubscribe = onAbort(signal, destroyBoth)
  await Promise.all([copy(one, other, destroyBoth), copy(other, one, destroyBoth)])
  await Promise.all([one.closed, other.closed])
  unsubscribe()
}

/** Forwards datagrams both ways until either flow closes, and then closes the other. */
export function pipeDatagrams(one: DatagramFlow, other: DatagramFlow): void {
  one.onDatagram((bytes) => other.send(bytes))
  other.onDatagram((bytes) => one.send(bytes))
  void one.closed.then(() => other.close())
  void other.closed.then(() => one.close())
}

async function copy(from: ByteStream, to: ByteStream, onBroken: () => void): Promise<void> {
  try {
    for (let bytes = await from.read(); bytes; bytes = await from.read()) await to.write(bytes)
    await to.end()
  } catch {
    // The programs at both ends see a broken connection; there is nothing else to report.
    onBroken()
  }
}
