import { parseJson } from '@lantern-room/base/bytes'
import type { InspectionSummary } from '@lantern-room/media/browser'

/** The service's records, as far as the page uses them; the OpenAPI document describes them. */

/** The response of POST /prepare and GET /sessions/{session_id}. */
export type SessionRecord = {
  readonly session_id: string
  readonly width: number
  readonly height: number
  readonly source_width?: number
  readonly source_height?: number
  readonly has_audio: boolean
  readonly has_still: boolean
  readonly frames: number
  readonly strip?: Strip
  /** Ends with Z where only UTC is known; null where nothing is. An older service does not say it. */
  readonly captured_at?: string | null
  /** Unix time in seconds. */
  readonly expires_at: number
}

/** What the editor shows of a video, whether the service has it or only this device. */
export type Edited = Pick<
  SessionRecord,
  'width' | 'height' | 'source_width' | 'source_height' | 'has_audio' | 'has_still' | 'frames' | 'strip'
>

/** Pixels of the video itself, in which a crop is counted; of an older service those of the preview. */
export function sizeOfSource(video: Pick<Edited, 'width' | 'height' | 'source_width' | 'source_height'>) {
  return { width: video.source_width ?? video.width, height: video.source_height ?? video.height }
}

export type Strip = {
  readonly tile_width: number
  readonly tile_height: number
  readonly row_height: number
  readonly tiles: number
  readonly interval: number
}

/** The response of POST /uploads. */
export type UploadRecord = {
  readonly upload_id: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export type Progress = {
  readonly stage: 'sending' | 'receiving' | 'queued' | 'reading' | 'preparing' | 'storing' | 'converting'
  readonly percent?: number
  readonly seconds_left?: number
  readonly place?: number
  /** It shows the file already. */
  readonly player?: HTMLVideoElement
}

/** Of the response of POST /inspect. */
export type Verdict = InspectionSummary['galleries'][number]

/**
 * Takes the whole events out of what has come of a stream. Only the fields of the service's own streams are read: one line of
 * `event`, one of `data`.
 * @returns the events with their data as text, and the rest, to which the next piece belongs
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function takeEvents(text: string) {
  const blocks = text.split('\n\n')
  const rest = blocks.pop() ?? ''
  const events = blocks.flatMap((block) => {
    const name = /^event: (.*)$/m.exec(block)?.[1]
    const data = /^data: (.*)$/m.exec(block)?.[1]
    return name === undefined || data === undefined ? [] : [{ name, data }]
  })
  return { events, rest }
}

/** A session that this browser has made, until it expires. */
export type RememberedSession = {
  readonly id: string
  /** The file's name, for the user. */
  readonly name: string
  /** Unix time in seconds. */
  readonly expiresAt: number
}

const MAX_REMEMBERED = 20

/** Reads what was stored, newest first. Anything that is no list of ours is none. @param now Unix time in seconds */
export function readRemembered(stored: string | null, now: number): readonly RememberedSession[] {
  // Even an error that is caught would make the browser parse the page's whole script again while it starts.
  const list = parseJson(stored ?? '[]')
  return Array.isArray(list) ? list.filter(isRemembered).filter(({ expiresAt }) => expiresAt > now) : []
}

export function withSession(
  list: readonly RememberedSession[],
  session: RememberedSession,
): readonly RememberedSession[] {
  return [session, ...withoutSession(list, session.id)].slice(0, MAX_REMEMBERED)
}

export function withoutSession(list: readonly RememberedSession[], id: string): readonly RememberedSession[] {
  return list.filter((one) => one.id !== id)
}

function isRemembered(value: unknown): value is RememberedSession {
  if (typeof value !== 'object' || value === null) return false
  const { id, name, expiresAt } = value as Partial<RememberedSession>
  return (
    typeof id === 'string' && /^\w+$/.test(id) && typeof name === 'string' && typeof expiresAt === 'number'
  )
}
