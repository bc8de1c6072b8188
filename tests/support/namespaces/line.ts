import { setTimeout as sleep } from 'node:timers/promises'
import { type ServerProcess, startServer } from '../process/serverProcess'
import { workerPath } from '../process/workerPath'

/** A player's connection to a world, in a process of its own: numbers go there and come back. */
export type Line = {
  /** Resolves when what is sent from now on comes back, in order and over the same connection. */
  goesOn(timeoutMs?: number): Promise<void>
  close(): Promise<void>
}

/** A world that echoes. @param inside put before the command, as `ip netns exec NAME` */
export async function startEchoWorld(inside: readonly string[] = []): Promise<{
  readonly port: number
  close(): Promise<void>
}> {
  const world = start(inside, 'world')
  const [, port = ''] = await world.said(/port (\d+)/)
  return { port: Number(port), close: () => end(world) }
}

/** A player on the machine of a forward. */
export async function openLine(port: number, inside: readonly string[] = []): Promise<Line> {
  const player = start(inside, 'player', String(port))
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
    close: () => end(player),
  }
}

function start(inside: readonly string[], ...args: string[]): ServerProcess {
  const worker = workerPath('namespaces/lineWorker')
  const [program = '', ...rest] = [...inside, process.execPath, worker, ...args]
  return startServer(rest, {}, program)
}

async function end(program: ServerProcess): Promise<void> {
  program.signal('SIGKILL')
  await program.ended
}
