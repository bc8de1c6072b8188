import { createLog, LOG_LEVELS, type Log, type LogLevel } from '@lantern-room/base'

/**
 * A log of one JSON object per line: `time` (ISO 8601), `level`, `message`, then the fields of the entry.
 * @param options.level entries below it are left out
 * @param options.write takes a whole line with its end. @default writes to standard error
 * @param options.now the time of an entry. @default that of this machine
 * @example createConsoleLog({ level: 'info' }).warn('the sweep failed', { cause: describeError(error) })
 */
export function createConsoleLog(options: {
  readonly level: LogLevel
  readonly write?: ((line: string) => void) | undefined
  readonly now?: () => Date
}): Log {
  const { level: lowest, write = (line) => process.stderr.write(line), now = () => new Date() } = options
  return createLog((level, message, fields) => {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(lowest)) return
    const head = { time: now().toISOString(), level, message }
    // Time, level and message come first for readability, and again last so that no field can replace them.
    write(`${toJson({ ...head, ...fields, ...head }) ?? JSON.stringify(head)}\n`)
  })
}

/** @returns undefined when a value cannot be serialised: an entry must not end the request that it describes */
function toJson(entry: Record<string, unknown>): string | undefined {
  try {
    return JSON.stringify(entry, (_key, value: unknown) => {
      if (typeof value === 'bigint') return String(value)
      if (!(value instanceof Error)) return value
      const { name, message, stack, cause } = value
      return { ...value, name, message, stack, cause }
    })
  } catch {
    return undefined
  }
}
