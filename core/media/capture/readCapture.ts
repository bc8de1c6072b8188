import { latin1, viewOf } from '#core/bytes'
import type { Place } from '#core/formats/exif/exif'
import { readMetadataItem } from '#core/formats/livePhoto/metadataItems'
import { type Box, onlyBox } from '#core/formats/mp4/boxes'
import type { Capture } from '../traits'
import { timeInName } from './fileName'
import { isPlausible, parseMoment } from './moment'

/** Longest maker or model; EXIF has no limit, but no phone's is longer. */
const MAX_NAME_LENGTH = 64

/**
 * Where containers keep what is wanted, the most exact place first. Apple's creation date has the local time with its
 * offset; the others' is UTC.
 */
const KEYS = {
  time: ['com.apple.quicktime.creationdate', 'creation_time', 'date'],
  place: ['com.apple.quicktime.location.ISO6709', 'location'],
  maker: ['com.apple.quicktime.make', 'com.android.manufacturer', 'make'],
  model: ['com.apple.quicktime.model', 'com.android.model', 'model'],
} as const

/**
 * Reads when, where and with what a video was recorded.
 * @param inputs what ffmpeg writes about its inputs
 */
export function readCapture(inputs: string): Capture {
  const tags = readTags(inputs)
  return captureBy((key) => tags.get(key))
}

function captureBy(tagOf: (key: string) => string | undefined): Capture {
  const first = <T>(keys: readonly string[], parse: (text: string) => T | undefined): T | undefined => {
    for (const key of keys) {
      const value = parse(tagOf(key) ?? '')
      if (value !== undefined) return value
    }
    return undefined
  }
  return {
    time: first(KEYS.time, parseTime),
    place: first(KEYS.place, parseLocation),
    maker: first(KEYS.maker, nameOf),
    model: first(KEYS.model, nameOf),
  }
}

/** The tags of the first input as a whole, not those of its streams. The first one of a name counts. */
function readTags(inputs: string): ReadonlyMap<string, string> {
  const section = /^Input #0, .*\n {2}Metadata:\n((?: {4}.*\n)*)/m.exec(inputs)?.[1] ?? ''
  const tags = new Map<string, string>()
  for (const line of section.split('\n')) {
    // A further line of a value has no key.
    const [, key = '', value = ''] = /^ {4}(\S[^:]*?) *: (.*)$/.exec(line) ?? []
    if (key !== '' && !tags.has(key)) tags.set(key, value.trim())
  }
  return tags
}

/** A date without a time, as some programs write, is none. */
function parseTime(text: string): Capture['time'] {
  const moment = parseMoment(text)
  if (moment?.offsetMinutes === undefined || !isPlausible(moment.unixMs)) return undefined
  // ffmpeg shows times of files without a zone as UTC, with a Z; so does a phone that has recorded in London.
  const isZoneKnown = !/Z$/i.test(text)
  return { unixMs: moment.unixMs, offsetMinutes: isZoneKnown ? moment.offsetMinutes : undefined }
}

/** Seconds from 1904, from where MP4 and MOV count, to 1970. */
const EPOCH_1904_SECONDS = 2_082_844_800

/**
 * When a video was recorded, as `readCapture` finds it, of a file that ffmpeg has not read.
 * @param moov the children of that box
 */
export function timeOfMovie(moov: readonly Box[]): Capture['time'] {
  const told = parseTime(readMetadataItem(moov, KEYS.time[0]) ?? '')
  const header = onlyBox(moov, 'mvhd')?.body
  if (told || !header || header.length < 12) return told
  const seconds = header[0] === 1 ? Number(viewOf(header).getBigUint64(4)) : viewOf(header).getUint32(4)
  const unixMs = (seconds - EPOCH_1904_SECONDS) * 1000
  return isPlausible(unixMs) ? { unixMs, offsetMinutes: undefined } : undefined
}

/** All that `readCapture` finds. @returns undefined where ffmpeg may find more: other places say such things, too */
export function captureOfMovie(moov: readonly Box[]): Capture | undefined {
  const others = moov.filter(({ type }) => type === 'udta')
  if (others.some(({ body }) => /day|date|time|xyz|loc|mak|man|mod/i.test(latin1(body)))) return undefined
  return { ...captureBy((key) => readMetadataItem(moov, key)), time: timeOfMovie(moov) }
}

/**
 * The recording's time and place. The time of the photo in which the video was takes precedence over that of the video, unless
 * it lacks its zone, and a date in the file's name is taken where neither says any.
 */
export function captureOf(
  capture: Capture,
  { photoTime }: { readonly photoTime: Capture['time'] },
  fileName: string | undefined,
): Capture {
  const named = { ...capture, fileName }
  if (photoTime && !(photoTime.isLocal && capture.time))
    return { ...named, time: photoTime, timeFrom: 'photo' }
  if (capture.time) return { ...named, timeFrom: 'video' }
  const time = timeInName(fileName ?? '')
  return time ? { ...named, time, timeFrom: 'name' } : named
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
