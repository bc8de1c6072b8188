import { LOG_LEVELS, type Log, type LogLevel } from '#core/log'

/**
 * A log of one JSON object per line: `time` (ISO 8601), `level`, `message`, then the fields of the entry.
 * @param options.level entries below it are left out
 * @param options.write takes a whole line with its end
 */
export function createConsoleLog(options: {
  readonly level: LogLevel
  readonly write: (line: string) => void
  readonly now?: () => Date
}): Log {
  const { level: lowest, write, now = () => new Date() } = options
  const entry =
    (level: LogLevel) =>
    (message: string, fields: Record<string, unknown> = {}) => {
      if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(lowest)) return
      const head = { time: now().toISOString(), level, message }
      // Time, level and message come first for readability, and again last so that no field can replace them.
      write(`${toJson({ ...head, ...fields, ...head }) ?? JSON.stringify(head)}\n`)
    }
  return { debug: entry('debug'), info: entry('info'), warn: entry('warn'), error: entry('error') }
}

/** @returns undefined when a value cannot be serialised: an entry must not end the request that it describes */
function toJson(entry: Record<string, unknown>): string | undefined {
  const above: unknown[] = []
  function replacer(this: unknown, _key: string, value: unknown): unknown {
    if (typeof value === 'bigint') return String(value)
    return typeof value === 'object' && value !== null ? replaceObject(this, value) : value
  }
  function replaceObject(holder: unknown, value: object): unknown {
    // Objects below the one that holds the value have been left.
    while (above.length > 0 && above.at(-1) !== holder) above.pop()
    if (above.includes(value) || above.length >= MAX_DEPTH) return '[…]'
    const fields = value instanceof Error ? errorFields(value) : value
    above.push(fields)
    return fields
  }
  try {
    return JSON.stringify(entry, replacer)
  } catch {
    return undefined
  }
}

const MAX_DEPTH = 8

function errorFields(error: Error): Record<string, unknown> {
  return { ...error, name: error.name, message: error.message, stack: error.stack, cause: error.cause }
}
