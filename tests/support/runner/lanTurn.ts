import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Of TCP; games announce themselves by UDP on the port of this number. */
const PORT = 4445
const RETRY_MS = 200
/** By then it is no run of these tests that has the port. */
const PATIENCE_MS = 10 * 60_000

/**
 * Waits until no other run of the tests on this machine has the turn. Worlds that are announced on loopback are seen by all
 * programs, also by those of another checkout. The turn is a TCP port, which the system frees when its holder ends.
 * @returns what gives the turn back; also when the wait was aborted, or after ten minutes without a turn
 */
export async function takeLanTurn(
  signal: AbortSignal,
  { port = PORT, patienceMs = PATIENCE_MS } = {},
): Promise<() => Promise<void>> {
  const givenUpAt = performance.now() + patienceMs
  while (!signal.aborted && performance.now() < givenUpAt) {
    const server = createServer((socket) => socket.destroy())
    const listening = once(server, 'listening')
    server.listen(port, '127.0.0.1')
    const hasTurn = await listening.then(
      () => true,
      () => false,
    )
    if (hasTurn) return () => new Promise((resolve) => server.close(() => resolve()))
    await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined)
  }
  return async () => {}
}
