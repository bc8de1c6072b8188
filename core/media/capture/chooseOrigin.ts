import { type WallClock, wallClock } from '#core/formats/exif/wallClock'
import type { FamilyMarks } from '#core/formats/profiles/profile'
import type { Place } from '#core/formats/source/facts'
import type { Capture, CaptureTime } from '../traits'
import type { Moment } from './moment'
import { instantOf, type TimeZone, timeZoneOf } from './timeZone'

/** The recording details to write into a photo: none, its date, or also place, maker and model. */
export const METADATA_CHOICES = ['none', 'date', 'all'] as const

export type MetadataChoice = (typeof METADATA_CHOICES)[number]

export type OriginWish = {
  readonly metadata: MetadataChoice
  /** Instead of what the video says. */
  readonly capturedAt: Moment | undefined
  /** The zone whose clocks the photo shows, instead of the one that the video says: a name that `timeZoneOf` knows. */
  readonly timeZone: string | undefined
  /** The phone to name instead of the video's own; it is written with any choice of metadata. */
  readonly phone?: Pick<PhotoOrigin, 'maker' | 'model' | 'marks'> | undefined
}

/** Facts that come from neither the video nor the request. */
export type Circumstances = {
  /** Unix time in milliseconds. */
  readonly now: number
  /** When the file was last changed, for videos that do not say when they were recorded. */
  readonly fileTime?: number | undefined
  /** The zone of times for which none is given. Without it they are shown in UTC. */
  readonly localZone?: TimeZone | undefined
}

/** The origin of a photo as written in its EXIF and its name. */
export type PhotoOrigin = {
  /** Undefined: no date is written. */
  readonly takenAt: WallClock | undefined
  /** For the file's name. */
  readonly namedAt: WallClock
  readonly place: Place | undefined
  readonly maker: string | undefined
  readonly model: string | undefined
  /** Marks of the phone that the photo is for. */
  readonly marks?: FamilyMarks | undefined
}

/** Decides what a photo says of its making. A photo without a date is named after the time of its making. */
export function chooseOrigin(wish: OriginWish, capture: Capture, circumstances: Circumstances): PhotoOrigin {
  const { metadata } = wish
  const takenAt = metadata === 'none' ? undefined : recordedAt(wish, capture.time, circumstances)
  const isOpen = metadata === 'all'
  return {
    takenAt,
    namedAt: takenAt ?? inZone({ unixMs: circumstances.now, offsetMinutes: undefined }, wish, circumstances),
    place: isOpen ? capture.place : undefined,
    maker: isOpen ? capture.maker : undefined,
    model: isOpen ? capture.model : undefined,
    ...wish.phone,
  }
}

function recordedAt(
  wish: OriginWish,
  time: CaptureTime | undefined,
  circumstances: Circumstances,
): WallClock {
  const { capturedAt } = wish
  if (!capturedAt) {
    const unixMs = circumstances.fileTime ?? circumstances.now
    return inZone(time ?? { unixMs, offsetMinutes: undefined }, wish, circumstances)
  }
  if (capturedAt.offsetMinutes !== undefined) return inZone(capturedAt, wish, circumstances)
  const zone = wantedZone(wish) ?? circumstances.localZone
  if (!zone) return { ...wallClock(new Date(capturedAt.unixMs), 0), offsetMinutes: undefined }
  const unixMs = instantOf(capturedAt.unixMs, zone)
  return wallClock(new Date(unixMs), zone(unixMs))
}

/** A moment as the clocks of its zone show it. */
function inZone(
  { unixMs, offsetMinutes }: CaptureTime,
  wish: OriginWish,
  { localZone }: Circumstances,
): WallClock {
  const offset = wantedZone(wish)?.(unixMs) ?? offsetMinutes ?? localZone?.(unixMs) ?? 0
  return wallClock(new Date(unixMs), offset)
}

function wantedZone({ timeZone }: OriginWish): TimeZone | undefined {
  return timeZone === undefined ? undefined : timeZoneOf(timeZone)
}
