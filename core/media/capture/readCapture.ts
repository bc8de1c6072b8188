import type { Place } from '@lantern-room/formats'
import { isPlausible, parseMoment, parseOffset, timeInName } from '@lantern-room/formats/time'
import type { MovieTags, PhotoClocks } from '@lantern-room/formats/video'
import type { Capture, CaptureTime, HeaderClock, Recording, VideoClocks } from '../traits'
import { tellTime } from './tellTime'

/** Longest maker or model; EXIF has no limit, but no phone's is longer. */
const MAX_NAME_LENGTH = 64

/**
 * Where containers keep what is wanted, the most exact place first; in lower case, as Matroska has other ones. Apple's creation
 * date has local time with its offset, and so may QuickTime's day.
 */
const KEYS = {
  told: ['com.apple.quicktime.creationdate'],
  day: ['date'],
  offset: ['com.samsung.android.utc_offset'],
  place: ['com.apple.quicktime.location.iso6709', 'location'],
  maker: ['com.apple.quicktime.make', 'com.android.manufacturer', 'make'],
  model: ['com.apple.quicktime.model', 'com.android.model', 'model'],
} as const

/** As movies spell them, where that is not in lower case. */
const SPELT: Readonly<Record<string, string>> = {
  'com.apple.quicktime.location.iso6709': 'com.apple.quicktime.location.ISO6709',
}

/** Tags that only Android writes. */
const ANDROID_KEYS = [
  ...['com.android.version', 'com.android.capture.fps', 'com.android.manufacturer', 'com.android.model'],
  ...KEYS.offset,
]

/** Reads a tag by its name in lower case. */
type TagOf = (key: string) => string | undefined

/**
 * Reads when, where and with what a video was recorded.
 * @param inputs what ffmpeg writes about its inputs
 */
export function readCapture(inputs: string): Recording {
  const tags = readTags(inputs)
  const tagOf: TagOf = (key) => tags.get(key)
  const handlers = [...inputs.matchAll(/^ {6,8}handler_name *: (.*)$/gim)].map(([, name = '']) => name.trim())
  const [, hours, minutes, seconds] = /^ {2}Duration: (\d+):(\d\d):(\d\d\.\d+)/m.exec(inputs) ?? []
  const header = headerOfTags(inputs, tagOf)
  return recordingOf(tagOf, {
    header,
    marks: [...handlers, tagOf('compatible_brands') ?? ''],
    seconds: Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0),
  })
}

type Found = {
  readonly header: { readonly unixMs: number; readonly isLocal?: boolean } | undefined
  /** Names by which programs that write such files are known. */
  readonly marks: readonly string[]
  readonly seconds: number
}

function recordingOf(tagOf: TagOf, { header, marks, seconds }: Found): Recording {
  const [told, day] = [first(tagOf, KEYS.told, parseTime), first(tagOf, KEYS.day, parseTime)]
  const isAndroid = ANDROID_KEYS.some((key) => tagOf(key) !== undefined)
  const writer = told ? 'apple' : header?.isLocal ? 'local' : writerOf(marks, isAndroid)
  const moment = told ?? header ?? day
  return {
    clocks: {
      told: [told, day].find((time) => time?.offsetMinutes !== undefined),
      header: moment && { unixMs: moment.unixMs, writer },
      offsetMinutes: first(tagOf, KEYS.offset, (text) => parseOffset(text.trim())),
      seconds,
    },
    place: first(tagOf, KEYS.place, parseLocation),
    maker: first(tagOf, KEYS.maker, nameOf),
    model: first(tagOf, KEYS.model, nameOf),
  }
}

function first<T>(
  tagOf: TagOf,
  keys: readonly string[],
  parse: (text: string) => T | undefined,
): T | undefined {
  for (const key of keys) {
    const value = parse(tagOf(key) ?? '')
    if (value !== undefined) return value
  }
  return undefined
}

/**
 * Who wrote a header, by the names of its tracks and by brands. Android's writer is called `VideoHandle`, ffmpeg's
 * `VideoHandler`. Cameras of GoPro and Nikon know no zones.
 * @see AOSP, MPEG4Writer.cpp; docs/motion-photo.md, "Clocks"
 */
function writerOf(marks: readonly string[], isAndroid: boolean): HeaderClock['writer'] {
  if (isAndroid || marks.some((name) => /^(Video|Sound)Handle$/.test(name))) return 'android'
  if (marks.some((name) => /^Core Media/.test(name))) return 'apple'
  return marks.some((name) => /GoPro|niko|NCDT/.test(name)) ? 'local' : 'other'
}

/** The tags of the first input as a whole, not those of its streams. The first one of a name counts. */
function readTags(inputs: string): ReadonlyMap<string, string> {
  const section = /^Input #0, .*\n {2}Metadata:\n((?: {4}.*\n)*)/m.exec(inputs)?.[1] ?? ''
  const tags = new Map<string, string>()
  for (const line of section.split('\n')) {
    // A further line of a value has no key.
    const [, name = '', value = ''] = /^ {4}(\S[^:]*?) *: (.*)$/.exec(line) ?? []
    const key = name.toLowerCase()
    if (key !== '' && !tags.has(key)) tags.set(key, value.trim())
  }
  return tags
}

/**
 * A date without a time, as some programs write, is none. ffmpeg shows times of files without a zone as UTC, with a Z; so does a
 * phone that has recorded in London.
 */
function parseTime(text: string): CaptureTime | undefined {
  const moment = parseMoment(text)
  if (moment?.offsetMinutes === undefined || !isPlausible(moment.unixMs)) return undefined
  return { unixMs: moment.unixMs, offsetMinutes: /Z$/i.test(text) ? undefined : moment.offsetMinutes }
}

/** AVI has the time of the camera's clock. */
function headerOfTags(inputs: string, tagOf: TagOf): Found['header'] {
  const text = tagOf('creation_time') ?? ''
  const time = parseTime(text)
  if (time) return { unixMs: time.unixMs }
  const isAvi = /^Input #0, avi,/m.test(inputs)
  const local = isAvi && /:/.test(text) ? parseMoment(text) : undefined
  return local && isPlausible(local.unixMs) ? { unixMs: local.unixMs, isLocal: true } : undefined
}

/**
 * When a video was recorded, of a file that ffmpeg has not read.
 * @example
 * const { tags } = await surveyMovie(source)
 * const clocks = tags && clocksOfMovie(tags)
 */
export function clocksOfMovie(tags: MovieTags): VideoClocks {
  return movieRecording(tags).clocks ?? { seconds: 0 }
}

/** All that `readCapture` finds. @returns undefined where ffmpeg may find more: other places say such things, too */
export function captureOfMovie(tags: MovieTags): Recording | undefined {
  return tags.hasOthers() ? undefined : movieRecording(tags)
}

function movieRecording(tags: MovieTags): Recording {
  const unixMs = tags.headerMs()
  return recordingOf((key) => tags.text(SPELT[key] ?? key), {
    header: unixMs === undefined ? undefined : { unixMs },
    marks: tags.writers(),
    seconds: tags.seconds(),
  })
}

/** The time of a recording without its photo and its name. */
export function timeOfMovie(tags: MovieTags): CaptureTime | undefined {
  const { told, header } = clocksOfMovie(tags)
  return told ?? (header && { unixMs: header.unixMs, offsetMinutes: undefined })
}

/**
 * When something was recorded, as a photo of it says.
 * @param fileName of the video; of a day alone in it nothing is told
 * @example timeOfFiles({ photo }, { fileName: 'VID_20240506_070809.mp4', now: Date.now() })
 */
export function timeOfFiles(
  {
    photo,
    video = { seconds: 0 },
  }: { readonly photo?: PhotoClocks | undefined; readonly video?: VideoClocks | undefined },
  { fileName, now }: { readonly fileName: string; readonly now: number },
): CaptureTime | undefined {
  const time = tellTime({ photo, video, name: timeInName(fileName, now) })?.time
  return time?.isDay ? undefined : time
}

/**
 * What is known of a recording, with what a photo that belongs to it says, and the name of its file.
 * @example captureOf(recording, photoClocks, { fileName: 'cat.mp4', now: 0 })
 */
export function captureOf(
  { clocks = { seconds: 0 }, place, maker, model }: Recording,
  photo: PhotoClocks | undefined,
  { fileName, now }: { readonly fileName: string | undefined; readonly now: number },
): Capture {
  const told = tellTime({ photo, video: clocks, name: timeInName(fileName ?? '', now) })
  const { time, timeFrom, zoneFrom } = told ?? {}
  return { time, timeFrom, zoneFrom, fileName, place, maker, model }
}

function nameOf(text: string): string | undefined {
  const name = text
    .replaceAll(/[^ -~]/g, '')
    .trim()
    .slice(0, MAX_NAME_LENGTH)
  return name === '' ? undefined : name
}

/**
 * Reads a point as phones write it into videos: `+48.1372+011.5755+519.000/`, with or without altitude.
 * @returns undefined for text that is none, and for 0, 0, which phones write that have not found their place
 * @see ISO 6709, annex H, decimal degrees
 */
export function parseLocation(text: string): Place | undefined {
  const match = /^([+-]\d{2}(?:\.\d{1,12})?)([+-]\d{3}(?:\.\d{1,12})?)([+-]\d{1,5}(?:\.\d{1,6})?)?/.exec(text)
  if (!match) return undefined
  const [latitude, longitude] = [Number(match[1]), Number(match[2])]
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return undefined
  if (latitude === 0 && longitude === 0) return undefined
  return { latitude, longitude, altitude: match[3] === undefined ? undefined : Number(match[3]) }
}
