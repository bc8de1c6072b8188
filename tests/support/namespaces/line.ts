import { setTimeout as sleep } from 'node:timers/promises'
import { startWorker } from '../process/serverProcess'

/** A player's connection to a world, in a process of its own: numbers go there and come back. */
export type Line = {
  /** Resolves when what is sent from now on comes back, in order and over the same connection. */
  goesOn(timeoutMs?: number): Promise<void>
  close(): Promise<void>
}

/** A world that echoes. @param inside put before the command, as `ip netns exec NAME` */
export async function startEchoWorld(
  inside: readonly string[] = [],
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const world = startWorker('support/namespaces/lineWorker', ['world'], inside)
  const [, port = ''] = await world.said(/port (\d+)/)
  return { port: Number(port), close: () => world.end('SIGKILL') }
}

/** A player on the machine of a forward. */
export async function openLine(port: number, inside: readonly string[] = []): Promise<Line> {
  const player = startWorker('support/namespaces/lineWorker', ['player', String(port)], inside)
  await player.said(/got 1\n/)
  return {
    async goesOn(timeoutMs = 60_000) {
      const numbers = () => [...player.stdout().matchAll(/^got (\d+)$/gm)].map(([, number]) => Number(number))
      // Two that were sent after this moment: the first of them may be under way already.
      const wanted = numbers().length + 2
      for (const until = performance.now() + timeoutMs; ; await sleep(20)) {
        const got = numbers()
        if (player.stdout().includes('broken')) throw new Error(`The connection broke after ${got.length}.`)
        if (got.some((number, at) => number !== at + 1)) throw new Error(`Out of order: ${got.join(' ')}`)
        if (got.length >= wanted) return
        if (performance.now() > until) throw new Error(`Nothing more in ${timeoutMs} ms after ${got.length}.`)
      }
    },
    close: () => player.end('SIGKILL'),
  }
}
