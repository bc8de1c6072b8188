/** The levels that a log may be set to, from the most detailed. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
/** One of `LOG_LEVELS`. */
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Log entries: a message and fields. Never a token or a room's secret. */
export type Log = Record<LogLevel, (message: string, fields?: Record<string, unknown>) => void>

/**
 * A log that hands each entry to `write`.
 * @param write gets the fields as they were given, an empty object where there are none; what it throws, the caller of the log gets
 * @example const log = createLog((level, message) => console.error(`${level} ${message}`))
 */
export function createLog(
  write: (level: LogLevel, message: string, fields: Record<string, unknown>) => void,
): Log {
  const entry =
    (level: LogLevel) =>
    (message: string, fields: Record<string, unknown> = {}) =>
      write(level, message, fields)
  return { debug: entry('debug'), info: entry('info'), warn: entry('warn'), error: entry('error') }
}

/**
 * An error with its causes as fields of a log entry, each with its stack; any other value as it is.
 * @example log.warn('the sweep failed', { cause: describeError(error) })
 */
export function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  return {
    error: error.stack ?? error.message,
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  }
}
