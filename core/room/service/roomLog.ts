import type { Clock } from '#core/clock'
import type { Log } from '#core/log'
import type { Feed } from './feed'

type Level = keyof Log

export type KeptLog = Log & {
  /** The last lines, as text. */
  text(): string
}

const KEPT_LINES = 1000

/**
 * A log that also goes to the feed and keeps its last lines. Whatever looks like a room code loses its secret half:
 * people paste logs into chats.
 * @param sink where lines go beside that
 */
export function createRoomLog(dependencies: {
  readonly sink: Log
  readonly feed: Feed
  readonly clock: Clock
}): KeptLog {
  const { sink, feed, clock } = dependencies
  const lines: string[] = []

  const entry =
    (level: Level) =>
    (message: string, fields: Record<string, unknown> = {}) => {
      const text = withoutSecrets(message)
      const shown = JSON.parse(withoutSecrets(toJson(fields))) as Record<string, unknown>
      sink[level](text, shown)
      const timestamp = new Date(clock.unixTime()).toISOString()
      const details = Object.keys(shown).length > 0 ? ` ${JSON.stringify(shown)}` : ''
      lines.push(`${timestamp} ${level} ${text}${details}`)
      if (lines.length > KEPT_LINES) lines.shift()
      // Every request is a line of its own, and would drown what happens to the room.
      if (level !== 'debug') feed.publish({ type: 'log', level, message: `${text}${details}`, timestamp })
    }

  return {
    debug: entry('debug'),
    info: entry('info'),
    warn: entry('warn'),
    error: entry('error'),
    text: () => (lines.length > 0 ? `${lines.join('\n')}\n` : ''),
  }
}

/** `U/NNNN-NNNN-SSSS-SSSS`, in an address as well, keeps the half that names the network. */
export function withoutSecrets(text: string): string {
  return text.replace(/(U(?:\/|%2F)[0-9A-Z]{4}-[0-9A-Z]{4}-)[0-9A-Z]{4}-[0-9A-Z]{4}/gi, '$1****-****')
}

function toJson(fields: Record<string, unknown>): string {
  return JSON.stringify(fields, (_key, value: unknown) => {
    if (typeof value === 'bigint') return String(value)
    if (value instanceof Error) return causes(value)
    return value
  })
}

function causes(error: Error): string {
  const { cause } = error
  return cause instanceof Error ? `${error.message} (${causes(cause)})` : error.message
}
