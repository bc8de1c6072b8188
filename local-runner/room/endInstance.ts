import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '#core/errors'
import { isRunning } from './compose'
import { askInstance, findInstance } from './instance'

/** `POST /shutdown` takes at most two seconds. */
const SHUTDOWN_MS = 4000
const KILL_MS = 4000
const CHECK_MS = 10

/**
 * Ends the service that runs with a data folder, so that another one can take its place. One in a room ends without a word: a
 * host's guests look for it for a while and come back when the same room is open again, and what is to be resumed is.
 * @returns the port that it has left; undefined when no service ran
 * @throws ServiceError `unavailable` when it goes on
 */
export async function endInstance(dataFolder: string): Promise<number | undefined> {
  const running = await findInstance(dataFolder)
  if (running === undefined) return undefined
  const { port, pid } = running
  if (pid === undefined) throw goesOn(port)
  const { state } = await askInstance(running, 'GET', '/state')
  if (state === 'waiting') {
    await askInstance(running, 'POST', '/shutdown')
    if (await hasEnded(pid, SHUTDOWN_MS)) return port
  }
  kill(pid)
  if (!(await hasEnded(pid, KILL_MS))) throw goesOn(port)
  return port
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself, or another user started it: that shows in a moment.
  }
}

async function hasEnded(pid: number, withinMs: number): Promise<boolean> {
  for (const deadline = performance.now() + withinMs; isRunning(pid); await sleep(CHECK_MS)) {
    if (performance.now() > deadline) return false
  }
  return true
}

function goesOn(port: number): ServiceError {
  return new ServiceError(
    'unavailable',
    `The room service on port ${port} cannot be replaced from here. End it with POST /shutdown, or start without --replace.`,
  )
}
