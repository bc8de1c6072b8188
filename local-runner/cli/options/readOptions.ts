import { resolve } from 'node:path'
import type { SourceMark } from '@lantern-room/formats/files'
import { parseMoment } from '@lantern-room/formats/time'
import {
  type ClipQuality,
  CROP_FORMS,
  METADATA_CHOICES,
  type OriginWish,
  PICTURE_FORMATS,
  type PictureEdit,
  PROFILE_NAMES,
  parseCrop,
  parseRotation,
  profileNamed,
  ROTATIONS,
  timeZoneOf,
} from '@lantern-room/media/options'

import { optionValue, UsageError } from '../../commandLine/readArguments'
import { inputPaths, outputOf } from './fileNames'
import type manual from './manual.json'

/** Values by the names of options; of a switch the empty text. */
export type Given = ReadonlyMap<keyof typeof manual.make.options, string>

export type Options = ReturnType<typeof readOptions> & {
  /** Whether the clip ends with a video that is shorter than the range. */
  readonly mayEndEarlier?: boolean
  /** Whether it is that of a photo, and as long as it is unless a range is asked for. */
  readonly isWhole?: boolean
  /** Whether the output has the time of the file, not that of the recording. */
  readonly keepsFileTime?: boolean
  /** What the output is to say of its source. */
  readonly sourceMark?: SourceMark | undefined
}

/** Options for a video that is a file. */
export type VideoOptions = Options & { readonly input: string }

/**
 * The options for one video.
 * @param words what is no option: the video, or a photo and the video that belongs to it
 * @param folder that relative paths start from
 * @throws UsageError
 */
export function readOptions(given: Given, words: readonly string[], folder: string) {
  const start = timeOf(given, 'start') ?? 0
  const end = timeOf(given, 'end')
  const isOwn = given.get('cover') === 'source'
  const cover = isOwn ? undefined : timeOf(given, 'cover')
  const coverFile = coverFileOf(given, folder)
  const edit: PictureEdit = {
    crop: optionValue(given, 'crop', parseCrop, CROP_FORMS),
    rotate: optionValue(given, 'rotate', parseRotation, `one of ${ROTATIONS.join(', ')}`) ?? 0,
  }
  const repeat = optionValue(given, 'repeat', parseCount, 'a whole number such as 3')
  const speed = optionValue(given, 'speed', parseNumber, 'a number such as 1.5') ?? 1
  const profile =
    optionValue(given, 'profile', profileNamed, `one of ${PROFILE_NAMES.join(', ')}`) ?? 'universal'
  const wallpaper = given.has('wallpaper')
  if (wallpaper && profile !== 'apple') throw new UsageError('--wallpaper needs --profile apple.')
  const quality = optionValue(given, 'quality', qualityOf, 'source or preview') ?? 'auto'
  // After the values: an option whose value was forgotten has taken the name of the video.
  const { photo, input } = inputPaths(words, folder)
  const origin = readOrigin(given, photo === undefined ? 'date' : 'all')
  const formatOf = (text: string) => PICTURE_FORMATS.find((known) => known === text)
  const format = optionValue(given, 'format', formatOf, `one of ${PICTURE_FORMATS.join(', ')}`) ?? 'jpeg'
  const keepsHeic = format === 'keep'
  const isOwnHeic = keepsHeic && cover === undefined && coverFile === undefined
  return {
    /** Absolute, as are the other paths; undefined = standard input. */
    input,
    /** The photo that belongs to the video. */
    photo,
    ...outputOf(given.get('output'), { input, photo, folder }, { profile, keepsHeic, isOwnHeic }),
    format,
    /** Seconds, as are the next two. */
    start,
    end,
    cover,
    /** `auto`: the photo's own picture, where the input is a motion photo and no time is given. */
    coverFrom: isOwn ? ('source' as const) : ('auto' as const),
    /** A picture that is the cover. */
    coverFile,
    edit,
    repeat,
    speed,
    profile,
    mute: given.has('mute'),
    quality,
    hdr: given.has('hdr'),
    wallpaper,
    origin,
    force: given.has('force'),
    json: given.has('json'),
    quiet: given.has('quiet'),
  }
}

function timeOf(given: Given, option: 'start' | 'end' | 'cover'): number | undefined {
  return optionValue(given, option, parseTime, 'a time such as 1.5, 1:02.5 or 1:02:03')
}

function coverFileOf(given: Given, folder: string): string | undefined {
  const name = given.get('cover-file')
  const path = name === undefined ? undefined : resolve(folder, name)
  const asked = [
    ...(given.has('hdr') ? ['--hdr'] : []),
    ...(given.get('cover') === 'source' ? ['--cover source'] : []),
    ...(path === undefined ? [] : ['--cover-file']),
  ]
  if (asked.length > 1) throw new UsageError(`${asked.join(' and ')} exclude each other.`)
  return path
}

function parseCount(text: string): number | undefined {
  return /^\d{1,4}$/.test(text) ? Number(text) : undefined
}

function parseNumber(text: string): number | undefined {
  return /^[+-]?(\d{1,9}\.?\d*|\.\d+)$/.test(text.trim()) ? Number(text) : undefined
}

function qualityOf(text: string): ClipQuality | undefined {
  return text === 'source' || text === 'preview' ? text : undefined
}

/**
 * Reads a time as people write it: seconds (`1.5`), `mm:ss.sss` or `hh:mm:ss.sss`.
 * Negative times are read, too, so that the error can name their value.
 * @returns seconds; undefined when the text is no time
 */
export function parseTime(text: string): number | undefined {
  const parts = /^([+-]?)(?:(?:(\d{1,6}):(?=\d{1,2}:))?(\d{1,6}):)?(\d{1,9}(?:\.\d*)?|\.\d+)$/.exec(
    text.trim(),
  )
  if (!parts) return undefined
  const [, sign, hours, minutes, seconds] = parts
  // After a colon there are at most 59 of anything.
  if (minutes !== undefined && Number(seconds) >= 60) return undefined
  if (hours !== undefined && Number(minutes) >= 60) return undefined
  const total = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds)
  return sign === '-' ? -total : total
}

/** @throws UsageError */
export function readOrigin(
  given: Pick<Given, 'get'>,
  defaultChoice: OriginWish['metadata'] = 'date',
): OriginWish {
  const choices = METADATA_CHOICES.join(', ')
  const choiceOf = (text: string) => METADATA_CHOICES.find((known) => known === text)
  const metadata = optionValue(given, 'metadata', choiceOf, `one of ${choices}`) ?? defaultChoice
  const capturedAt = optionValue(
    given,
    'captured-at',
    parseMoment,
    'a date such as 2026-03-04 or 2026-03-04T05:06:07+02:00',
  )
  if (capturedAt && metadata === 'none') {
    throw new UsageError('--captured-at is not written with --metadata none: leave one of them out.')
  }
  const zoneOf = (name: string) => (timeZoneOf(name) ? name : undefined)
  const zones = 'an offset such as +02:00 or a name such as Europe/Berlin'
  return { metadata, capturedAt, timeZone: optionValue(given, 'time-zone', zoneOf, zones) }
}
