import { setMaxListeners } from 'node:events'
import { constants } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@lantern-room/base'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const CHECK_PROCESSES_MS = 500
/** The longest wait of a timer. */
const LONGEST_MS = 2 ** 31 - 1
/** Read at once: the parent may end while the program still starts. */
const STARTER_PID = process.ppid
/** The signal that has ended this process, if one has. */
let endSignal: NodeJS.Signals | undefined

/** How long this process is to live. */
export type Lifetime = ReturnType<typeof beginLifetime>

export type LifetimeOptions = {
  /** Default: SIGINT, SIGTERM and SIGHUP. A second one ends the process at once. */
  readonly signals?: readonly NodeJS.Signals[]
  /** Ends with this process. */
  readonly parent?: { readonly pid: number; readonly isRunning: (pid: number) => boolean } | undefined
  /** Ends when standard input does. */
  readonly withStdin?: boolean
  /**
   * Ends with the process that started this one. npm starts programs by a shell and signals only that shell, which ends
   * without passing the signal on.
   */
  readonly withStarter?: boolean
  /** Called once. @param reason the signal's name, or what has happened */
  readonly onEnd?: (reason: string) => void
}

export function beginLifetime(options: LifetimeOptions) {
  const { signals = SIGNALS, withStdin = false, onEnd } = options
  // One signal ends everything that runs: with eleven listeners Node would warn of a leak, on derived signals, too.
  setMaxListeners(0)
  const controller = new AbortController()
  let exitCode: number | undefined

  const end = (reason: string) => {
    if (controller.signal.aborted) return
    onEnd?.(reason)
    controller.abort(new Error(reason))
  }
  for (const signal of signals) {
    process.on(signal, () => {
      const code = 128 + constants.signals[signal]
      if (controller.signal.aborted) process.exit(code)
      exitCode = code
      endSignal = signal
      end(signal)
    })
  }
  if (withStdin) {
    const onClosed = () => end('standard input was closed')
    process.stdin.once('end', onClosed).once('close', onClosed).once('error', onClosed).resume()
  }
  const stopWatching = watchProcesses(options, end)
  const closing = new AbortController()
  return {
    /** Aborts when the process is to end. */
    signal: controller.signal,
    /** Resolves when the process is to end, or after `close`. Unlike a listener of the signal it keeps the process until then. */
    async ended(): Promise<void> {
      const signal = AbortSignal.any([controller.signal, closing.signal])
      while (!signal.aborted) await sleep(LONGEST_MS, undefined, { signal }).catch(() => undefined)
    },
    /** Ends it from inside. */
    end: () => end('asked to stop'),
    /** 128 and the number of the signal that ended it, as shells count; undefined when it was something else. */
    exitCode: () => exitCode,
    /** Stops watching standard input and other processes, and keeps the process no longer. */
    close() {
      closing.abort()
      stopWatching()
      if (withStdin) process.stdin.destroy()
    },
  }
}

/** Tells the user why a service ends. */
export function tellEnd(reason: string): void {
  process.stderr.write(`${reason}: stopping; a second signal ends at once\n`)
}

/** Resolves when the work is done or has failed, at the latest after `ms`. Never rejects. */
export async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const done = new AbortController()
  await Promise.race([work, sleep(ms, undefined, { signal: done.signal })]).catch(() => undefined)
  done.abort()
}

/** @returns a function that stops watching */
function watchProcesses(
  { parent, withStarter = false }: Pick<LifetimeOptions, 'parent' | 'withStarter'>,
  end: (reason: string) => void,
): () => void {
  if (!parent && !withStarter) return () => {}
  const isStarterWatched = withStarter || parent?.pid === STARTER_PID
  const check = () => {
    // The number of a process that has ended may be given to another one, but a parent changes when it ends.
    const hasStarterEnded = isStarterWatched && process.ppid !== STARTER_PID
    const hasParentEnded = parent !== undefined && !parent.isRunning(parent.pid)
    // npm's shell ends by SIGTERM.
    if (hasStarterEnded || hasParentEnded) end(parent ? `process ${parent.pid} has ended` : 'SIGTERM')
  }
  const timer = setInterval(check, CHECK_PROCESSES_MS)
  check()
  return () => clearInterval(timer)
}

/** How long what is still open may take to close: a pipe that is read slowly, or sockets on a busy machine. */
const CLOSING_MS = 1500

/** Except on Windows an orderly exit waits for questions to name servers; the end by a signal does not. */
function exitAtOnce(): void {
  if (endSignal === undefined || process.platform === 'win32') process.exit()
  process.removeAllListeners(endSignal)
  process.kill(process.pid, endSignal)
}

/** A question to a name server. The system answers it after its own time-outs, and it cannot be cancelled. */
const NAME_QUESTION = 'GetAddrInfoReqWrap'

/**
 * The process ends by itself once everything is closed, or nothing but name servers could keep it. What is still open after `CLOSING_MS` is
 * named in the log, if there is one, and the process ends without it.
 */
export function endWhenClosed(log: Log | undefined): void {
  const timer = setTimeout(() => {
    const open = process.getActiveResourcesInfo()
    log?.warn('the process ends although something is still open', { open })
    process.exit()
  }, CLOSING_MS)
  // It does not keep the process itself.
  timer.unref()
  // Behind what is still to be written.
  if (process.getActiveResourcesInfo().includes(NAME_QUESTION)) process.stdout.write('', exitAtOnce)
}
