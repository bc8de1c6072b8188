/** The service's records, as far as the page uses them; the OpenAPI document describes them. */

/** Of POST /prepare and GET /sessions/{session_id}. */
export type Session = {
  readonly session_id: string
  readonly duration: number
  readonly width: number
  readonly height: number
  readonly has_audio: boolean
  readonly has_still: boolean
  readonly frames: number
  readonly strip?: Strip
  /** Unix time in seconds. */
  readonly expires_at: number
}

export type Strip = {
  readonly tile_width: number
  readonly tile_height: number
  readonly row_height: number
  readonly tiles: number
  readonly interval: number
}

/** Of POST /uploads. */
export type Upload = {
  readonly upload_id: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export type Progress = {
  readonly stage: 'sending' | 'receiving' | 'queued' | 'reading' | 'preparing' | 'storing' | 'converting'
  readonly percent?: number
  readonly seconds_left?: number
  readonly place?: number
}

/** Of POST /inspect. */
export type Inspection = {
  readonly clip: { readonly offset: number; readonly bytes: number; readonly duration: number | null } | null
  readonly galleries: readonly Verdict[]
}

export type Verdict = {
  readonly gallery: string
  readonly recognised: 'yes' | 'unsure' | 'no'
  readonly plays: boolean
  readonly problems: readonly { readonly code: string; readonly detail: string }[]
}

/** An event of a stream, with its data as text. */
export type StreamEvent = { readonly name: string; readonly data: string }

/**
 * Takes the whole events out of what has come of a stream. Only the fields of the service's own streams are read: one line of
 * `event`, one of `data`.
 * @returns the events, and the rest, to which the next piece belongs
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function takeEvents(text: string): { readonly events: readonly StreamEvent[]; readonly rest: string } {
  const blocks = text.split('\n\n')
  const rest = blocks.pop() ?? ''
  const events = blocks.flatMap((block) => {
    const name = /^event: (.*)$/m.exec(block)?.[1]
    const data = /^data: (.*)$/m.exec(block)?.[1]
    return name === undefined || data === undefined ? [] : [{ name, data }]
  })
  return { events, rest }
}
