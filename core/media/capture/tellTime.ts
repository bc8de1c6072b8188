import type { NamedTime } from '@lantern-room/formats/time'
import { isPlausible } from '@lantern-room/formats/time'
import type { PhotoClocks } from '@lantern-room/formats/video'
import type { Capture, CaptureTime, HeaderClock, KnownZone, VideoClocks } from '../traits'

/** All that may say when something was recorded. */
export type Clocks = {
  readonly photo: PhotoClocks | undefined
  readonly video: VideoClocks
  readonly name: NamedTime | undefined
}

export type ToldTime = {
  readonly time: CaptureTime
  readonly timeFrom: NonNullable<Capture['timeFrom']>
  /** What says its offset; undefined where none is known. */
  readonly zoneFrom: KnownZone | undefined
}

/**
 * The one rule for clocks: when a recording began or a photo was taken, and where that was told. A photo's own clock stays;
 * a zone is told by what has one, or by two sources of which one is local and the other in UTC.
 * @returns undefined where nothing says a time
 * @see docs/motion-photo.md, "Clocks"; docs/decisions.md, D185
 */
export function tellTime({ photo, video, name }: Clocks): ToldTime | undefined {
  const time = photo?.time ?? momentOf(photo?.moment)
  if (time) return ofPhoto(time, { photo, video, name })
  if (video.told) return { time: video.told, timeFrom: 'video', zoneFrom: 'video' }
  const { header } = video
  if (name && name.says !== 'day' && (!header || isOfName(name, header, video))) return ofName(name, video)
  if (header) return ofHeader(header, video)
  const satellites = momentOf(photo?.satellites)
  if (satellites) return ofPhoto(satellites, { photo, video, name })
  const day = name && { unixMs: name.unixMs, offsetMinutes: undefined, isLocal: true, isDay: true }
  return day && { time: day, timeFrom: 'name', zoneFrom: undefined }
}

function momentOf(unixMs: number | undefined): CaptureTime | undefined {
  return unixMs === undefined ? undefined : { unixMs, offsetMinutes: undefined }
}

/** Its time stays as it is. Only the zone may come from elsewhere. */
function ofPhoto(time: CaptureTime, { photo, video, name }: Clocks): ToldTime {
  const { unixMs, offsetMinutes, isLocal } = time
  if (offsetMinutes !== undefined) return { time, timeFrom: 'photo', zoneFrom: 'photo' }
  const zone = isLocal ? zoneOfPhoto(unixMs, { photo, video, name }) : zoneOfMoment(unixMs, video)
  const minutes = zone?.minutes
  const zoned = isLocal ? inZone(unixMs, minutes) : { unixMs, offsetMinutes: minutes }
  return { time: zoned, timeFrom: 'photo', zoneFrom: zone?.from }
}

type Zone = { readonly minutes: number; readonly from: KnownZone }

function zoneOfPhoto(localMs: number, { photo, video, name }: Clocks): Zone | undefined {
  const { moment, satellites } = photo ?? {}
  const { told, header, offsetMinutes, seconds } = video
  const stated = told?.offsetMinutes ?? offsetMinutes
  const span = told ? spanFrom(told.unixMs, seconds) : header && spanOf(header, video)
  const isStated = stated !== undefined && (!span || isInside(localMs - stated * MINUTE_MS, span))
  return (
    (moment === undefined ? undefined : compared(localMs, spanFrom(moment, 0), SLACK_MS)) ??
    (satellites === undefined ? undefined : compared(localMs, spanFrom(satellites, 0), SATELLITES_MS)) ??
    (isStated ? { minutes: stated, from: 'video' } : undefined) ??
    (header && zoneByHeader(localMs, header, seconds)) ??
    (name?.says === 'moment' ? compared(localMs, spanFrom(name.unixMs, seconds), SLACK_MS) : undefined)
  )
}

/** A time in the name of a video that is of its recording: the beginning, to the second or better. */
function ofName({ unixMs, offsetMinutes, says }: NamedTime, video: VideoClocks): ToldTime {
  const timeFrom = 'name'
  if (offsetMinutes !== undefined) return { time: { unixMs, offsetMinutes }, timeFrom, zoneFrom: 'name' }
  const zone = says === 'local' ? zoneOfLocal(unixMs, video) : zoneOfMoment(unixMs, video)
  const minutes = zone?.minutes
  const time = says === 'local' ? inZone(unixMs, minutes) : { unixMs, offsetMinutes: minutes }
  return { time, timeFrom, zoneFrom: zone?.from }
}

function ofHeader(header: HeaderClock, { offsetMinutes, seconds }: VideoClocks): ToldTime {
  const { unixMs, writer } = header
  const begun = writer === 'android' ? unixMs - seconds * 1000 : unixMs
  // A damaged file may say any length.
  const start = isPlausible(begun) ? begun : unixMs
  const time = writer === 'local' ? inZone(start, offsetMinutes) : { unixMs: start, offsetMinutes }
  return { time, timeFrom: 'video', zoneFrom: offsetMinutes === undefined ? undefined : 'video' }
}

/** Whether a name and a header may be of one recording. A file that was edited has a new header, and its old name. */
function isOfName(name: NamedTime, header: HeaderClock, video: VideoClocks): boolean {
  const { unixMs } = name
  const { start, end } = spanOf(header, video)
  const isLocal = name.says === 'local'
  const zone = isLocal ? zoneOfLocal(unixMs, video) : zoneOfMoment(unixMs, video)
  const isComparable = isLocal === (header.writer === 'local')
  const minutes = isComparable ? 0 : zone?.minutes
  const shift = (minutes ?? 0) * MINUTE_MS * (isLocal ? -1 : 1)
  if (minutes !== undefined && isInside(unixMs + shift, { start, end })) return true
  // A recording with pauses took longer than its video plays. The time of a message is another one.
  const earliest = start + BEHIND_MINUTES * MINUTE_MS
  const latest = end + (isComparable ? 0 : AHEAD_MINUTES * MINUTE_MS)
  return !name.isOfMessage && isInside(unixMs, { start: earliest, end: latest })
}

/** The zone of a local time at which a recording began. */
function zoneOfLocal(localMs: number, { header, offsetMinutes, seconds }: VideoClocks): Zone | undefined {
  if (offsetMinutes !== undefined) return { minutes: offsetMinutes, from: 'video' }
  return header && zoneByHeader(localMs, header, seconds)
}

/** The zone of a moment at which a recording began. */
function zoneOfMoment(unixMs: number, { header, offsetMinutes, seconds }: VideoClocks): Zone | undefined {
  if (offsetMinutes !== undefined) return { minutes: offsetMinutes, from: 'video' }
  if (header?.writer !== 'local') return undefined
  return compared(header.unixMs, spanFrom(unixMs, seconds), SLACK_MS)
}

function zoneByHeader(localMs: number, header: HeaderClock, seconds: number): Zone | undefined {
  const { unixMs, writer } = header
  if (writer === 'local') return undefined
  const likely = writer === 'android' ? [unixMs - seconds * 1000] : [unixMs, unixMs - seconds * 1000]
  const zone = compared(localMs, spanOf(header, { seconds }), SLACK_MS, likely)
  // A camera that knows no zones writes local time, too: docs/decisions.md, D185.
  return zone?.minutes === 0 && writer === 'other' ? undefined : zone
}

const MINUTE_MS = 60_000
/** Names are cut to the second, and files are finished a little after the recording has ended. */
const SLACK_MS = 5000
/** Phones write the place that they had found last. */
const SATELLITES_MS = 60_000
/** Clocks of the earth are from 12 hours behind UTC to 14 hours ahead, by quarters of an hour. */
const BEHIND_MINUTES = -12 * 60
const AHEAD_MINUTES = 14 * 60
const QUARTER_MINUTES = 15

type Span = { readonly start: number; readonly end: number }

/**
 * The zone in which a local time was at some moment.
 * @param span of that moment
 * @param likely moments that count more than others, where a recording is so long that several zones are possible
 * @returns undefined where none is, or several are
 */
function compared(
  localMs: number,
  { start, end }: Span,
  slackMs: number,
  likely: readonly number[] = [],
): Zone | undefined {
  const zones: number[] = []
  for (let minutes = BEHIND_MINUTES; minutes <= AHEAD_MINUTES; minutes += QUARTER_MINUTES) {
    const unixMs = localMs - minutes * MINUTE_MS
    if (unixMs >= start - slackMs && unixMs <= end + slackMs) zones.push(minutes)
  }
  const near = zones.filter((minutes) =>
    likely.some((unixMs) => Math.abs(localMs - minutes * MINUTE_MS - unixMs) <= slackMs),
  )
  const [minutes, ...others] = near.length > 0 ? near : zones
  return minutes === undefined || others.length > 0 ? undefined : { minutes, from: 'compared' }
}

/** In which a recording lies, by its header. */
function spanOf({ unixMs, writer }: HeaderClock, { seconds }: Pick<VideoClocks, 'seconds'>): Span {
  const ms = seconds * 1000
  return {
    start: writer === 'android' || writer === 'other' ? unixMs - ms : unixMs,
    end: writer === 'android' ? unixMs : unixMs + ms,
  }
}

function spanFrom(start: number, seconds: number): Span {
  return { start, end: start + seconds * 1000 }
}

function isInside(unixMs: number, { start, end }: Span): boolean {
  return unixMs >= start - SLACK_MS && unixMs <= end + SLACK_MS
}

/** A local time, given as if it was in UTC, with its zone where that is known. */
function inZone(localMs: number, offsetMinutes: number | undefined): CaptureTime {
  if (offsetMinutes === undefined) return { unixMs: localMs, offsetMinutes, isLocal: true }
  return { unixMs: localMs - offsetMinutes * MINUTE_MS, offsetMinutes }
}
