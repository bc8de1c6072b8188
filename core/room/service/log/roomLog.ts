import { createLog, type Log } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import { createThrottle, onAbort } from '@lantern-room/base/async'
import { createTokenBuckets } from '@lantern-room/base/limits'
import type { Feed } from '../state/feed'
import type { FeedMessage } from '../state/feedMessages'
import { logLine, redactEntry, withFields } from './logLine'

type FeedLine = Omit<Extract<FeedMessage, { type: 'log' }>, 'index'>

export type RoomLog = Log & {
  /** The last lines, as text. */
  text(): string
}

const KEPT_LINES = 1000
/** Lines leave room in the feed for a list or a status: those are sent however much is logged. */
const LINE_AND_DETAIL = 2
/** Limits the log lines in the feed. With players and status, a listener gets about ten messages in its busiest second. */
const LINE_RATE = { perSecond: 2, burst: 5 }
/** How often the number of dropped lines is logged. */
const TELL_MS = 2000

/**
 * A log that also publishes to the feed and keeps its last lines for `GET /log`. Room codes lose what is secret in them,
 * because people paste logs into chats. The fields `cause` and `error` hold texts of this machine and its libraries: they
 * are not published. Of a flood of lines the feed gets a few, and the number of the others; each waits until the feed has room.
 * @param sink receives all entries as well
 */
export function createRoomLog(dependencies: {
  readonly sink: Log
  readonly feed: Feed
  readonly clock: Clock
  readonly stopping: AbortSignal
}): RoomLog {
  const { sink, feed, clock, stopping } = dependencies
  const lines: string[] = []
  const waiting: FeedLine[] = []
  const publishing = createThrottle(clock, 0, publishNext, () => feed.wait(LINE_AND_DETAIL))
  const bucket = createTokenBuckets(clock, LINE_RATE)
  let missing = 0
  let cancelTelling = () => {}
  onAbort(stopping, () => {
    cancelTelling()
    publishing.cancel()
    for (const line of waiting.splice(0)) feed.publish(line)
  })

  const log = createLog((level, message, fields) => {
    const redacted = redactEntry(message, fields)
    sink[level](redacted.message, redacted.fields)
    const at = clock.unixTime()
    lines.push(logLine(level, redacted, at))
    if (lines.length > KEPT_LINES) lines.shift()
    // Every request logs a debug entry, which would drown the events of the room.
    if (level === 'debug') return
    const { cause: _cause, error: _error, ...published } = redacted.fields
    const { code } = published
    // Programs act on those with a code.
    if (typeof code !== 'string' && !mayPublish()) return
    publish({
      type: 'log',
      level,
      message: withFields(redacted.message, published),
      timestamp: new Date(at).toISOString(),
      ...(typeof code === 'string' && { code, fields: published }),
    })
  })

  return {
    ...log,
    text: () => (lines.length > 0 ? `${lines.join('\n')}\n` : ''),
  }

  function publish(line: FeedLine): void {
    waiting.push(line)
    if (stopping.aborted) publishNext()
    else publishing.request()
  }

  function publishNext(): void {
    const next = waiting.shift()
    if (next) feed.publish(next)
    if (waiting.length > 0 && !stopping.aborted) publishing.request()
  }

  /** Members can make a host write thousands of lines. They are told in order: none before the number of those that are missing. */
  function mayPublish(): boolean {
    if (missing === 0 && bucket.take('lines')) return true
    missing += 1
    if (missing === 1 && !stopping.aborted) cancelTelling = clock.after(TELL_MS, tellMissing)
    return false
  }

  function tellMissing(): void {
    const message = `${missing} more lines were written: GET /log has the last ones.`
    missing = 0
    publish({ type: 'log', level: 'warn', message, timestamp: new Date(clock.unixTime()).toISOString() })
  }
}
