import type { Clock } from '#core/async/clock'
import type { Log, LogLevel } from '#core/log'
import { logLine, redactEntry } from './logLine'

/**
 * A log as lines for people, for a file: without secrets, and without requests that succeeded, since clients poll.
 * @param options.write takes a line with its end
 */
export function createFileLog(options: {
  readonly write: (line: string) => void
  readonly clock: Pick<Clock, 'unixTime'>
}): Log {
  const { write, clock } = options
  const entry =
    (level: keyof Log) =>
    (message: string, fields: Record<string, unknown> = {}) => {
      if (level === 'debug' && 'request_id' in fields) return
      write(`${logLine(level, redactEntry(message, fields), clock.unixTime())}\n`)
    }
  return { debug: entry('debug'), info: entry('info'), warn: entry('warn'), error: entry('error') }
}

/** A log that writes each entry to all of these. */
export function joinLogs(logs: readonly Log[]): Log {
  const entry =
    (level: LogLevel) =>
    (message: string, fields?: Record<string, unknown>): void => {
      for (const log of logs) log[level](message, fields)
    }
  return { debug: entry('debug'), info: entry('info'), warn: entry('warn'), error: entry('error') }
}
