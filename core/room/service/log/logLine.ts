import { createLog, type Log } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'

/** An entry without what is secret: room codes lose their secrets, because people paste logs into chats. */
export type RedactedEntry = { readonly message: string; readonly fields: Record<string, unknown> }

export function redactEntry(message: string, fields: Record<string, unknown>): RedactedEntry {
  return { message: withoutSecrets(message), fields: JSON.parse(toJson(fields), redacted) }
}

/** A line of a log for people, without its end. @param unixTime in milliseconds */
export function logLine(level: keyof Log, { message, fields }: RedactedEntry, unixTime: number): string {
  return `${new Date(unixTime).toISOString()} ${level} ${withFields(message, fields)}`
}

export function withFields(text: string, fields: Record<string, unknown>): string {
  return Object.keys(fields).length > 0 ? `${text} ${JSON.stringify(fields)}` : text
}

/**
 * Masks the second half of every `U/NNNN-NNNN-SSSS-SSSS`, and all of every `L/…`, URL-encoded or not; and the path of a
 * node by WebSocket, which may be its password.
 */
export function withoutSecrets(text: string): string {
  return text
    .replace(/(U(?:\/|%2F)[0-9A-Z]{4}-[0-9A-Z]{4}-)[0-9A-Z]{4}-[0-9A-Z]{4}/gi, '$1****-****')
    .replace(/(L(?:\/|%2F))[0-9A-Z]{4}(?:-[0-9A-Z]{4}){3}/gi, '$1****-****-****-****')
    .replace(/(wss?:\/\/[^\s/"?#]+\/)[^\s"]+/gi, '$1****')
}

/** Each text by itself: in JSON the end of a secret could take along the backslash of a quote, which a player's name may have. */
function redacted(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return withoutSecrets(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [withoutSecrets(key), one]))
}

function toJson(fields: Record<string, unknown>): string {
  return JSON.stringify(fields, (_key, value: unknown) => {
    if (typeof value === 'bigint') return String(value)
    if (value instanceof Error) return errorMessages(value)
    return value
  })
}

/**
 * The messages of an error and its causes on one line, as `upload failed (connection reset)`, for logs that players
 * read. Causes that are not errors are left out.
 */
function errorMessages(error: Error): string {
  const { message, cause } = error
  return cause instanceof Error ? `${message} (${errorMessages(cause)})` : message
}

/**
 * A log that also writes lines for people, to a file: without secrets, and without requests that succeeded, since clients poll.
 * @param options.write takes a line with its end
 * @example const log = withFileLog(console, { write: (line) => file.append(line), clock })
 */
export function withFileLog(
  log: Log,
  options: { readonly write: (line: string) => void; readonly clock: Pick<Clock, 'unixTime'> },
): Log {
  const { write, clock } = options
  return createLog((level, message, fields) => {
    log[level](message, fields)
    if (level === 'debug' && 'request_id' in fields) return
    write(`${logLine(level, redactEntry(message, fields), clock.unixTime())}\n`)
  })
}
