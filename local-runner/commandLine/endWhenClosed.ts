import type { Log } from '#core/log'

/** How long what is still open may take to close: a pipe that is read slowly, or sockets on a machine that is busy. */
const LIMIT_MS = 1500

/**
 * The process ends by itself once everything is closed. What is still open after `limitMs` is named in the log, and the
 * process ends without it.
 */
export function endWhenClosed(
  log: Log,
  {
    limitMs = LIMIT_MS,
    openResources = () => process.getActiveResourcesInfo(),
    exit = () => process.exit(),
  }: {
    readonly limitMs?: number
    readonly openResources?: () => readonly string[]
    readonly exit?: () => void
  } = {},
): void {
  const timer = setTimeout(() => {
    log.warn('the process ends although something is still open', { open: openResources() })
    exit()
  }, limitMs)
  // It does not keep the process itself.
  timer.unref()
}
