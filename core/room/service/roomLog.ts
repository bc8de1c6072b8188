import type { Clock } from '#core/clock'
import type { Log } from '#core/log'
import { errorMessages } from '../../describeError'
import type { Feed } from './feed'
import { createLineLimit } from './lineLimit'

type Level = keyof Log

export type RoomLog = Log & {
  /** The last lines, as text. */
  text(): string
}

const KEPT_LINES = 1000

/**
 * A log that also publishes to the feed and keeps its last lines for `GET /log`. Room codes lose what is secret in them,
 * because people paste logs into chats. The fields `cause` and `error` hold texts of this machine and its libraries: they
 * are not published. Of a flood of lines the feed gets a few, and the number of the others.
 * @param sink receives all entries as well
 */
export function createRoomLog(dependencies: {
  readonly sink: Log
  readonly feed: Feed
  readonly clock: Clock
  /** Ends its timers. */
  readonly stopping: AbortSignal
}): RoomLog {
  const { sink, feed, clock } = dependencies
  const lines: string[] = []
  const timestamp = () => new Date(clock.unixTime()).toISOString()
  const mayPublish = createLineLimit(clock, dependencies.stopping, (count) =>
    feed.publish({
      type: 'log',
      level: 'warn',
      message: `${count} more lines were written: GET /log has the last ones.`,
      timestamp: timestamp(),
    }),
  )

  const entry =
    (level: Level) =>
    (message: string, fields: Record<string, unknown> = {}) => {
      const text = withoutSecrets(message)
      const redacted = JSON.parse(withoutSecrets(toJson(fields))) as Record<string, unknown>
      sink[level](text, redacted)
      const writtenAt = timestamp()
      lines.push(`${writtenAt} ${level} ${withFields(text, redacted)}`)
      if (lines.length > KEPT_LINES) lines.shift()
      // Every request logs a debug entry, which would drown the events of the room.
      if (level === 'debug') return
      const { cause: _cause, error: _error, ...published } = redacted
      const { code } = published
      // Programs act on those with a code.
      if (typeof code !== 'string' && !mayPublish()) return
      feed.publish({
        type: 'log',
        level,
        message: withFields(text, published),
        timestamp: writtenAt,
        ...(typeof code === 'string' && { code, fields: published }),
      })
    }

  return {
    debug: entry('debug'),
    info: entry('info'),
    warn: entry('warn'),
    error: entry('error'),
    text: () => (lines.length > 0 ? `${lines.join('\n')}\n` : ''),
  }
}

function withFields(text: string, fields: Record<string, unknown>): string {
  return Object.keys(fields).length > 0 ? `${text} ${JSON.stringify(fields)}` : text
}

/** Masks the second half of every `U/NNNN-NNNN-SSSS-SSSS`, and all of every `L/…`, URL-encoded or not. */
export function withoutSecrets(text: string): string {
  return text
    .replace(/(U(?:\/|%2F)[0-9A-Z]{4}-[0-9A-Z]{4}-)[0-9A-Z]{4}-[0-9A-Z]{4}/gi, '$1****-****')
    .replace(/(L(?:\/|%2F))[0-9A-Z]{4}(?:-[0-9A-Z]{4}){3}/gi, '$1****-****-****-****')
}

function toJson(fields: Record<string, unknown>): string {
  return JSON.stringify(fields, (_key, value: unknown) => {
    if (typeof value === 'bigint') return String(value)
    if (value instanceof Error) return errorMessages(value)
    return value
  })
}
