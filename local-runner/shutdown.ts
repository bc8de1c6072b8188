import { onAbort, untilAborted } from '#core/async/onAbort'
import { ServiceError } from '#core/errors'
import { atMost, beginLifetime, type EndCause } from './commandLine/lifetime'
import type { Listening } from './listen'

/** How long the end of requests may take that have not finished in time. */
const END_MS = 3_000

/**
 * Stops in order on SIGTERM, SIGINT and when asked: new requests are refused, running ones have some time, then their ffmpeg is killed;
 * exit code 0. A second signal ends everything at once.
 */
export function stopOnSignals(
  servers: readonly Listening[],
  options: {
    /** How long running requests may take to finish. */
    readonly graceMs: number
    /** Aborts when a client asks the program to end. */
    readonly asked: AbortSignal
    /** Aborted when that is over. */
    readonly stopping: AbortController
    readonly killAllProcesses: () => void
    /** Stops as by SIGTERM when the process that started this one ends. */
    readonly endsWithParent: boolean
  },
): void {
  const { killAllProcesses, endsWithParent, asked, graceMs, stopping } = options
  process.on('exit', killAllProcesses)
  const life = beginLifetime({
    signals: ['SIGTERM', 'SIGINT'],
    withStarter: endsWithParent,
    onEnd: (cause) =>
      console.error(
        `${reasonOf(cause)}: finishing what runs (at most ${graceMs / 1000} s); a second signal ends at once`,
      ),
  })
  onAbort(asked, life.end)
  void untilAborted(life.signal).then(async () => {
    const closed = Promise.all(servers.map((server) => server.close()))
    await atMost(graceMs, closed)
    stopping.abort(new ServiceError('unavailable', 'The service is stopping. Try again in a moment.'))
    // The aborted requests are still answered; clients that do not read their answers are disconnected.
    await atMost(END_MS, closed)
    for (const server of servers) server.cut()
    process.exit(0)
  })
}

function reasonOf(cause: EndCause): string {
  if (cause.kind === 'requested') return 'asked to stop'
  // npm's shell ends by SIGTERM.
  return cause.kind === 'signal' ? cause.signal : 'SIGTERM'
}
