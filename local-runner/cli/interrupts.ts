import { constants } from 'node:os'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export type Interrupts = {
  /** Aborts with the first signal that asks this process to end. */
  readonly signal: AbortSignal
  /** 128 and the signal's number, as shells count; undefined when there was none. */
  exitCode(): number | undefined
}

/**
 * Makes Ctrl-C and its like stop the work in order. A second signal ends the process at once; `atExit` runs then, too.
 */
export function watchInterrupts(atExit: () => void): Interrupts {
  const controller = new AbortController()
  let exitCode: number | undefined
  for (const name of SIGNALS) {
    process.on(name, () => {
      if (exitCode !== undefined) process.exit(exitCode)
      exitCode = 128 + constants.signals[name]
      controller.abort(new Error(name))
    })
  }
  process.on('exit', atExit)
  return { signal: controller.signal, exitCode: () => exitCode }
}
