import { exifOffset, wallClock } from '@lantern-room/formats/browser'
import type { InspectionSummary, OutputProfile } from '@lantern-room/media/browser'
import { ask, askJson } from '../../shared/ask'
import { type Cut, FPS } from './cut'
import { fieldsOf, type PhotoOptions } from './options'
import type { SessionRecord } from './records'

export type Choice = PhotoOptions & {
  readonly cut: Cut
  /** Whether the still is the source's own one at the moment that its photo says, whatever the cut's. */
  readonly isOwnMoment?: boolean
  /** What the part of a video does not say that was sent: the name of its photo, and when that was taken. */
  readonly origin?: { readonly name: string; readonly capturedAt: string | undefined } | undefined
}

export type Photo = Omit<ReturnType<typeof shownPhoto>, 'inspection'> & {
  /** Undefined unless a gain map was asked for: why there is none, or that there is one. */
  readonly ultraHdr?: string | undefined
  /** What of the photo's own tags could not be kept, by the service's names. */
  readonly lost?: readonly string[] | undefined
  /** By how many degrees the clip is turned because the photo was. */
  readonly turned?: string | undefined
  /** Undefined for a ZIP with a file for each family. */
  readonly inspection: InspectionSummary | undefined
  /** Of what it was made. Undefined of one that was mended, or came from another device. */
  readonly choice?: Choice | undefined
}

/** Makes a motion photo, and asks which galleries will play it. @throws RequestProblem */
export async function makePhoto(
  session: Pick<SessionRecord, 'session_id' | 'has_audio' | 'captured_at'>,
  choice: Choice,
  signal: AbortSignal,
): Promise<Photo> {
  const response = await ask('convert', { method: 'POST', body: orderOf(session, choice), signal })
  const isZip = response.headers.get('Content-Type') === 'application/zip'
  const own = choice.origin && !isZip ? `${choice.origin.name}_MP.jpg` : undefined
  const name = own ?? nameOf(response) ?? (isZip ? 'photo.zip' : 'photo_MP.jpg')
  const file = await response.blob()
  const inspection = await askJson<InspectionSummary>('inspect', {
    method: 'POST',
    body: formOf(file, name),
    signal,
  })
  // No browser shows a ZIP.
  const still = { method: 'POST', body: formOf(file, name, { what: 'still' }), signal }
  const shown = isZip ? await (await ask('extract', still)).blob() : file
  const isSource = response.headers.get('X-Clip-Quality') === 'source'
  return {
    ...shownPhoto({ name, file, shown, inspection, isSource, profile: choice.profile }),
    ultraHdr: response.headers.get('X-Ultra-HDR') ?? undefined,
    turned: response.headers.get('X-Clip-Turned') ?? undefined,
    lost: response.headers.get('X-Metadata-Lost')?.split(', '),
    inspection: choice.profile === 'all' ? undefined : inspection,
  }
}

type MadePhoto = {
  readonly name: string
  readonly file: Blob
  /** What stands for the file in the page. */
  readonly shown: Blob
  readonly inspection: InspectionSummary
  readonly isSource: boolean
  readonly profile: OutputProfile
}

/** A photo with the addresses by which the page shows it, for as long as the page is open. */
export function shownPhoto(made: MadePhoto) {
  const { file, inspection } = made
  const { clip: place } = inspection
  const download = URL.createObjectURL(file)
  const still = URL.createObjectURL(made.shown)
  const clip = place
    ? URL.createObjectURL(file.slice(place.offset, place.offset + place.bytes, 'video/mp4'))
    : undefined
  const addresses = [download, still, ...(clip === undefined ? [] : [clip])]
  return { ...made, download, still, clip, addresses }
}

/** The name that a response gives its file. @see RFC 6266: a name beyond ASCII comes in a parameter of its own */
export function nameOf({ headers }: Response): string | undefined {
  const text = headers.get('Content-Disposition') ?? ''
  const encoded = /filename\*=UTF-8''([^;]+)/.exec(text)?.[1]
  return encoded === undefined ? /filename="([^"]+)"/.exec(text)?.[1] : decodeURIComponent(encoded)
}

function orderOf(
  session: Pick<SessionRecord, 'session_id' | 'has_audio' | 'captured_at'>,
  choice: Choice,
): URLSearchParams | FormData {
  const { cut, keepsSound } = choice
  const fields = [
    ['session_id', session.session_id],
    ['range_start', String(cut.start / FPS)],
    ['range_end', String(cut.end / FPS)],
    ...momentOf(choice),
    ['speed', String(choice.speed)],
    ['mute', String(!keepsSound)],
    ['quality', choice.isOriginal ? 'source' : 'preview'],
    ...fieldsOf(choice, session.has_audio && keepsSound, choice.origin?.capturedAt),
    ...zoneOf(session, choice),
  ] as const
  const texts = fields.filter((field): field is readonly [string, string] => typeof field[1] === 'string')
  if (texts.length === fields.length) return new URLSearchParams(texts.map(([name, value]) => [name, value]))
  const form = new FormData()
  for (const [name, value] of fields) form.set(name, value)
  return form
}

function momentOf({ cut, isOwnMoment }: Choice): readonly (readonly [string, string])[] {
  return isOwnMoment ? [] : [['cover_time', String(cut.cover / FPS)]]
}

/**
 * The clock that shows a moment of which the service knows only UTC: that of this device, as it was then. A local time keeps its
 * own, and so does one with an offset.
 */
function zoneOf(
  { captured_at }: Pick<SessionRecord, 'captured_at'>,
  { origin }: Choice,
): readonly (readonly [string, string])[] {
  if (origin?.capturedAt !== undefined || captured_at === undefined) return []
  if (captured_at !== null && !captured_at.endsWith('Z')) return []
  const moment = captured_at === null ? new Date() : new Date(captured_at)
  const offset = exifOffset(wallClock(moment, -moment.getTimezoneOffset()))
  return offset === undefined ? [] : [['time_zone', offset]]
}

/** A form with a file. */
export function formOf(file: Blob, name: string, fields: Readonly<Record<string, string>> = {}): FormData {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.set(field, value)
  form.set('file', file, name)
  return form
}
