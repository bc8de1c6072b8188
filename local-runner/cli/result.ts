import { ServiceError } from '@lantern-room/base'
import type { MetadataLoss } from '@lantern-room/formats/make'
import { readHeic, walkJpeg } from '@lantern-room/formats/pictures'
import { isoTime } from '@lantern-room/formats/time'
import { FPS, type PhotoOfFile } from '@lantern-room/media/make'
import type { SourceProblem } from '@lantern-room/mp4/clip'
import { readNow } from '@lantern-room/mp4/source'

import type { Options } from './options/readOptions'

/** The output of `--json`; spelled as in the API. */
export type Result = ReturnType<typeof describeResult>

/** The size is read from the finished file, so that it is what readers will find. */
export function describeResult(output: string, made: PhotoOfFile, bytes: number) {
  const { photo, plan, origin, presentationTimestampUs, clipQuality, sourceProblem, sourceRate, ultraHdr } =
    made
  const { metadataLost, clipTurn } = made
  const { frame } = walkJpeg(photo, true) ?? readNow(readHeic({ size: photo.length }), photo) ?? {}
  if (!frame) {
    throw new ServiceError('internal', 'The motion photo could not be read back.')
  }
  return {
    /** Absolute path. */
    output,
    bytes,
    /** Pixels of the cover. */
    width: frame.width,
    height: frame.height,
    clip_seconds: seconds(plan.clipFrames),
    /** As EXIF says, and what says so; null without a date, also where only the day is known. */
    taken_at: origin.takenAt ? isoTime(origin.takenAt) : null,
    taken_at_from: origin.dateFrom ?? null,
    /** What says its offset; null without one. */
    time_zone_from: origin.zoneFrom ?? null,
    /** Where in the video the cover is, and where in the clip. */
    cover_seconds: seconds(plan.coverFrame),
    presentation_timestamp_us: presentationTimestampUs,
    /** Whether the clip's pictures are the video's own or the preview's, although the former were wanted. */
    clip_quality: clipQuality,
    ...(sourceProblem && { clip_quality_reason: sourceProblem }),
    /** Of a slow clip: how many pictures a second the video's own would give it, where they are more. */
    ...(sourceRate !== undefined && { clip_source_rate: sourceRate }),
    /** By how many degrees clockwise the clip is turned because the photo was, and its video was not. */
    ...(clipTurn !== 0 && { clip_turned: clipTurn }),
    /** With `--metadata all`: what the photo said of itself and could not be kept; a lost gain map in any case. */
    ...(metadataLost.length > 0 && { metadata_lost: metadataLost }),
    /** With `--hdr`: `gain-map`, or why there is none. */
    ...(ultraHdr && { ultra_hdr: ultraHdr }),
  }
}

function seconds(frames: number): number {
  return Math.round((frames / FPS) * 1e6) / 1e6
}

const REASONS: Readonly<Record<SourceProblem, string>> = {
  format: 'the video is no MP4 or MOV whose pictures can be copied',
  codec:
    'the video is neither H.264 nor HEVC in a form that phones play (8 bit, 4:2:0, not interlaced, not spatial)',
  edits: 'the video was edited in a way that a copy would not keep, or changes its size',
  speed: 'it would be more than phones can play in a second',
  size: 'the clip or its pictures would be too large',
  edit: 'they cannot be cropped or repeated without encoding them anew',
  mirror: 'they are to be shown mirrored or sheared, which phones do not do',
}

const HDR_REASONS: Readonly<Record<Exclude<NonNullable<PhotoOfFile['ultraHdr']>, 'gain-map'>, string>> = {
  'standard-range': 'the video is of standard range',
  profile: 'the profile has none',
  edited: "the cover is not the video's picture as it is",
  'not-found': "the cover's light could not be read",
}

const LOSSES: Readonly<Record<MetadataLoss, string>> = {
  exif: 'EXIF, which is broken or too large',
  xmp: 'XMP, which is broken or too large',
  header: 'all that the photo says of itself',
  profile: 'its colour profile, which is for CMYK or grey',
  thumbnail: 'a thumbnail',
  regions: 'areas of faces that are not in shares of the picture',
  panorama: 'the marks of a panorama',
  'gain-map': 'its gain map, by which it is brighter on screens that can',
  depth: 'a depth map',
  'maker-note': "the maker's notes, in whose place an iPhone's are",
  text: 'texts that only a PNG has',
  pictures: 'further pictures in its file',
  trailer: 'data behind its picture',
}

/** What the user should know of a photo that is made, a sentence each. */
export function notesOf(
  { quality, end = 0 }: Pick<Options, 'quality' | 'end'>,
  result: Result,
  { videoSeconds, isSoundLost }: Pick<PhotoOfFile, 'videoSeconds' | 'isSoundLost'>,
): string[] {
  const {
    clip_quality_reason: reason,
    clip_source_rate: rate,
    ultra_hdr: hdr,
    clip_turned: turn,
    metadata_lost: lost = [],
  } = result
  const notes = [
    end > videoSeconds + 1.5 / FPS &&
      `--end is after the end of the video, and the clip ends there (${videoSeconds.toFixed(3)} s).`,
    result.taken_at_from === 'name' &&
      result.time_zone_from === null &&
      'The date is that in the name of the video; nothing says its time zone.',
    isSoundLost && "The clip is silent: the video's sound is of a codec that cannot be decoded here.",
    quality === 'source' && reason && `The clip has the preview's pictures: ${REASONS[reason]}.`,
    rate !== undefined &&
      `The slow clip would have ${rate} pictures a second, and be smoother, with --quality source.`,
    turn !== undefined && `The clip is turned by ${turn}°, as the photo was after it was taken.`,
    lost.length > 0 && `Of the photo could not be kept: ${lost.map((one) => LOSSES[one]).join('; ')}.`,
    hdr && hdr !== 'gain-map' && `The photo has no gain map: ${HDR_REASONS[hdr]}.`,
  ]
  return notes.filter((note) => typeof note === 'string')
}
