import type { Place } from '@lantern-room/formats'
import { type WallClock, wallClock } from '@lantern-room/formats'
import type { Moment } from '@lantern-room/formats/time'
import { photoBaseName } from '@lantern-room/formats/time'
import { FPS } from '../frames'
import { type Capture, type CaptureTime, KNOWN_ZONES } from '../traits'
import { stemOf } from './fileName'
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
}

/** Facts that come from neither the video nor the request. */
export type Circumstances = {
  readonly cover: CoverMoment
  /** Unix time in milliseconds. */
  readonly now: number
  /** When the file was last changed, for videos that do not say when they were recorded. @default not known */
  readonly fileTime?: number | undefined
  /** The zone that shows moments in UTC, and is that of a time in the request. @default UTC */
  readonly localZone?: TimeZone | undefined
}

/** What the moment of a cover is seen from. */
export type CoverMoment = {
  /** In frames of the preview. */
  readonly plan: { readonly startFrame: number; readonly sourceFrames: number; readonly coverFrame: number }
  /** Of the preview in the video. */
  readonly firstFrame: number
  /** Whether it is the photo's own picture. */
  readonly isOwn: boolean
  /** The moment of that in the video. */
  readonly stillSeconds: number | undefined
}

/** What says the time of a photo; `file` is when that was changed, `now` when the photo is made. */
export const DATE_SOURCES = ['request', 'photo', 'video', 'name', 'file', 'now'] as const

export type DateSource = (typeof DATE_SOURCES)[number]

/**
 * What says the offset of that time; `compared` are two sources of which one shows local time and one UTC, `machine` is the zone
 * of the machine, and of `utc` nothing is known: the moment is shown in UTC.
 */
export const ZONE_SOURCES = ['request', ...KNOWN_ZONES, 'machine', 'utc'] as const

export type ZoneSource = (typeof ZONE_SOURCES)[number]

/** The origin of a photo as written in its EXIF and its name. */
export type PhotoOrigin = {
  /** Undefined: no date is written. */
  readonly takenAt: WallClock | undefined
  /** What says it; undefined without a date. */
  readonly dateFrom: DateSource | undefined
  /** What says its offset; undefined where it has none. */
  readonly zoneFrom?: ZoneSource | undefined
  /** That time, or else the one of the conversion. */
  readonly namedAt: WallClock
  /** The file's name without what a profile adds to it. */
  readonly name: string
  /** Whether a photo's own picture keeps all that it says of itself. @default false */
  readonly keepsMetadata?: boolean
  /** Whether that time, or another zone for the photo's own, was asked for: then it takes the place of that. @default false */
  readonly isDateGiven?: boolean
  readonly place: Place | undefined
  readonly maker: string | undefined
  readonly model: string | undefined
}

/**
 * Decides what a photo says of its making. A photo without a date is named after the time of its making.
 * @example chooseOrigin({ metadata: 'date', capturedAt: undefined, timeZone: undefined }, capture, circumstances)
 */
export function chooseOrigin(wish: OriginWish, capture: Capture, circumstances: Circumstances): PhotoOrigin {
  const { metadata } = wish
  const { cover, now } = circumstances
  const dated = metadata === 'none' ? undefined : dateOf(wish, capture, circumstances)
  const namedAt = dated?.at ?? inZone({ unixMs: now, offsetMinutes: undefined }, wish, circumstances).at
  const isOpen = metadata === 'all'
  return {
    takenAt: dated?.at,
    dateFrom: dated?.from,
    zoneFrom: dated?.zoneFrom,
    namedAt,
    keepsMetadata: isOpen,
    // In another zone the photo's own time is shown, not one that it has not.
    isDateGiven: wish.capturedAt !== undefined || (wish.timeZone !== undefined && dated?.from === 'photo'),
    name: (metadata === 'none' ? undefined : nameOf(capture, cover)) ?? photoBaseName(namedAt),
    place: isOpen ? capture.place : undefined,
    maker: isOpen ? capture.maker : undefined,
    model: isOpen ? capture.model : undefined,
  }
}

/**
 * The name of the video; with the moment of the cover, unless that is the middle of a range from the beginning, so that two
 * photos of one video differ.
 */
function nameOf({ fileName = '' }: Capture, { plan, firstFrame, isOwn }: CoverMoment): string | undefined {
  const stem = stemOf(fileName)
  const { startFrame, sourceFrames, coverFrame } = plan
  const isMiddle = Math.abs(2 * (coverFrame - startFrame) - sourceFrames) <= 1
  if (stem === undefined || isOwn || (startFrame + firstFrame === 0 && isMiddle)) return stem
  return `${stem}_${Math.round(((firstFrame + coverFrame) / FPS) * 1000)}ms`
}

type DatedAt = {
  readonly at: WallClock
  readonly from: DateSource
  readonly zoneFrom: ZoneSource | undefined
}

/**
 * The time of the recording and how far the cover is into it. A time that is asked for is the photo's own.
 * @returns undefined where only the day is known: docs/decisions.md, D185
 */
function dateOf(wish: OriginWish, capture: Capture, circumstances: Circumstances): DatedAt | undefined {
  if (wish.capturedAt) return askedFor(wish.capturedAt, wish, circumstances)
  const { time, timeFrom = 'video' } = capture
  const known = time?.isDay ? undefined : time
  if (time?.isDay && !isOnDay(time, circumstances)) return undefined
  const { now, fileTime, cover } = circumstances
  const from = known ? timeFrom : fileTime === undefined ? 'now' : 'file'
  const { plan, firstFrame, stillSeconds = 0 } = cover
  const seconds = (firstFrame + plan.coverFrame) / FPS - (from === 'photo' ? stillSeconds : 0)
  // The cover is a picture of the preview, up to a frame away from the still that the photo had.
  const isStill = from === 'photo' && (cover.isOwn || Math.abs(seconds) <= 1 / FPS)
  const laterMs = isStill ? 0 : Math.round(seconds * 1000)
  const shown = known ?? { unixMs: fileTime ?? now, offsetMinutes: undefined }
  return { ...inZone(shown, wish, circumstances, capture.zoneFrom ?? timeFrom, laterMs), from }
}

function askedFor(moment: Moment, wish: OriginWish, circumstances: Circumstances): DatedAt {
  const isLocal = moment.offsetMinutes === undefined
  const zone = wish.timeZone === undefined ? circumstances.localZone : undefined
  const time = isLocal && zone ? zoned(moment.unixMs, zone) : { ...moment, isLocal }
  return { ...inZone(time, wish, circumstances, isLocal ? 'machine' : 'request'), from: 'request' }
}

/** Whether the file was changed on a day, as this machine counts days. */
function isOnDay(day: CaptureTime, { fileTime, localZone }: Circumstances): boolean {
  if (fileTime === undefined) return false
  const local = fileTime + (localZone?.(fileTime) ?? 0) * 60_000
  return local >= day.unixMs && local < day.unixMs + 24 * 3600 * 1000
}

function zoned(localMs: number, zone: TimeZone): CaptureTime {
  const unixMs = instantOf(localMs, zone)
  return { unixMs, offsetMinutes: zone(unixMs) }
}

/**
 * A time as the clocks of its zone show it. A local time without a zone stays as it is; a moment without one is shown in UTC.
 * @param zoneFrom what says its offset, if it has one
 * @param laterMs is added to it
 */
function inZone(
  { unixMs, offsetMinutes, isLocal }: CaptureTime,
  wish: OriginWish,
  { localZone }: Pick<Circumstances, 'localZone'>,
  zoneFrom?: ZoneSource,
  laterMs = 0,
): Omit<DatedAt, 'from'> {
  const wanted = wish.timeZone === undefined ? undefined : timeZoneOf(wish.timeZone)
  if (isLocal && !wanted) {
    return {
      at: { ...wallClock(new Date(unixMs + laterMs), 0), offsetMinutes: undefined },
      zoneFrom: undefined,
    }
  }
  const instant = (isLocal && wanted ? instantOf(unixMs, wanted) : unixMs) + laterMs
  const at = (offset: number) => wallClock(new Date(instant), offset)
  if (wanted) return { at: at(wanted(instant)), zoneFrom: 'request' }
  if (offsetMinutes !== undefined) return { at: at(offsetMinutes), zoneFrom }
  return localZone ? { at: at(localZone(instant)), zoneFrom: 'machine' } : { at: at(0), zoneFrom: 'utc' }
}
