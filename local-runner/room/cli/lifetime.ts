import { constants } from 'node:os'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const LOOK_FOR_PARENT_MS = 500

/** How long this process lives: until it is told to end, in whatever way. */
export type Lifetime = {
  /** Aborts when it is to end. */
  readonly signal: AbortSignal
  /** Ends it from inside. */
  end(): void
  /** 128 and the number of the signal that ended it, as shells count; undefined when it was something else. */
  exitCode(): number | undefined
  /** Lets go of what it watches. */
  close(): void
}

export type LifetimeOptions = {
  /** Ends with this process. */
  readonly parentPid?: number | undefined
  /** Ends when standard input does. */
  readonly withStdin?: boolean
  /** Ends with the process that started this one. */
  readonly withStarter?: boolean
  readonly say?: (reason: string) => void
}

/** A second signal ends the process at once. */
export function beginLifetime({ parentPid, withStdin, withStarter, say }: LifetimeOptions): Lifetime {
  const controller = new AbortController()
  let exitCode: number | undefined
  let timer: NodeJS.Timeout | undefined
  const end = (reason: string) => {
    if (controller.signal.aborted) return
    say?.(reason)
    controller.abort(new Error(reason))
  }
  for (const name of SIGNALS) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(128 + constants.signals[name])
      exitCode = 128 + constants.signals[name]
      end(`${name}: stopping; a second signal ends at once`)
    })
  }
  if (withStdin) {
    const gone = () => end('standard input was closed: stopping')
    process.stdin.once('end', gone).once('close', gone).once('error', gone).resume()
  }
  const starter = process.ppid
  if (parentPid !== undefined || withStarter) {
    const look = () => {
      const isStarterGone = (withStarter || parentPid === starter) && process.ppid !== starter
      const isGone = isStarterGone || (parentPid !== undefined && !isAlive(parentPid))
      if (isGone) end(`process ${parentPid ?? starter} has ended: stopping`)
    }
    timer = setInterval(look, LOOK_FOR_PARENT_MS)
    look()
  }
  return {
    signal: controller.signal,
    end: () => end('asked to stop'),
    exitCode: () => exitCode,
    close() {
      clearInterval(timer)
      if (withStdin) process.stdin.destroy()
    },
  }
}

/** Resolves when the lifetime is over. */
export function whenOver({ signal }: Lifetime): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Resolves when the work is done, or after so long without. Never rejects. */
export function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    const done = () => {
      clearTimeout(timer)
      resolve()
    }
    work.then(done, done)
  })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // There, and another user's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
