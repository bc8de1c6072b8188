import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '../core/errors'
import type { Listening } from './listen'

/** How long running requests may finish, and how long their ending may take after that. */
const GRACE_MS = 10_000
const END_MS = 3_000
const LOOK_FOR_PARENT_MS = 500

/**
 * Stops in order on SIGTERM and SIGINT: nothing new is taken, what runs has ten seconds, then its ffmpeg is killed;
 * exit code 0. A second signal ends everything at once.
 */
export function stopOnSignals(host: {
  readonly servers: readonly Listening[]
  /** Aborted when the grace is over. */
  readonly stopping: AbortController
  readonly killAllProcesses: () => void
  readonly say: (line: string) => void
  /** Stops as by SIGTERM when the process that started us ends. */
  readonly endsWithParent: boolean
}): void {
  let isStopping = false
  const onSignal = async (signal: NodeJS.Signals) => {
    if (isStopping) {
      host.killAllProcesses()
      process.exit(signal === 'SIGINT' ? 130 : 143)
    }
    isStopping = true
    host.say(`${signal}: finishing what runs (at most ${GRACE_MS / 1000} s); a second signal ends at once`)
    await stopInOrder(host)
    process.exit(0)
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  process.on('exit', host.killAllProcesses)
  if (host.endsWithParent) onceParentEnds(() => void onSignal('SIGTERM'))
}

/** Read at once: the parent may end while the services still start. */
const PARENT = process.ppid

/** npm starts programs by a shell and signals only that shell, which ends without passing the signal on. */
function onceParentEnds(act: () => void): void {
  const timer = setInterval(() => {
    if (process.ppid === PARENT) return
    clearInterval(timer)
    act()
  }, LOOK_FOR_PARENT_MS)
  timer.unref()
}

async function stopInOrder({
  servers,
  stopping,
}: {
  servers: readonly Listening[]
  stopping: AbortController
}): Promise<void> {
  const closed = Promise.all(servers.map((server) => server.close()))
  await Promise.race([closed, sleep(GRACE_MS)])
  stopping.abort(new ServiceError('unavailable', 'The service is stopping. Try again in a moment.'))
  // The aborted requests still answer; a client that does not read its answer is cut off.
  await Promise.race([closed, sleep(END_MS)])
  for (const server of servers) server.cut()
}
