import type { Inspection } from '@lantern-room/formats'
import { GALLERIES, googleTimeUs } from '@lantern-room/formats/files'

/** The findings of an inspection, as the API and the command line show them. */
export type InspectionSummary = ReturnType<typeof describeInspection>

/** @example describeInspection(await readFrom(inspectFile(source), source)).galleries */
export function describeInspection({ photo, clip, pair, galleries }: Inspection) {
  const { xmp, exif, samsung, huawei, mpf } = photo
  return {
    format: pair ? ('live-photo' as const) : photo.format,
    bytes: photo.size,
    width: photo.frame?.width ?? null,
    height: photo.frame?.height ?? null,
    taken_at: exif?.dateTimeOriginal ?? exif?.dateTime ?? null,
    time_zone: exif?.offsetTime ?? null,
    clip: describeClip(photo.clip, clip),
    presentation_timestamp_us: pair?.stillTimeUs ?? googleTimeUs(photo) ?? null,
    content_identifier: exif?.contentIdentifier ?? null,
    marks: {
      motion_photo: xmp?.motionPhoto === 1,
      micro_video: xmp?.microVideo === 1,
      samsung: samsung !== undefined,
      xiaomi: exif?.xiaomiMark ?? null,
      oppo: xmp?.oplus !== undefined,
      vivo: xmp?.vivo !== undefined,
      huawei: huawei !== undefined,
      mpf: mpf !== undefined,
    },
    galleries: galleries.map(({ problems, ...verdict }) => ({
      ...verdict,
      problems: problems.map((problem) => ({ ...problem, repair: problem.repair ?? null })),
    })),
    sending: photo.clip ? SENDING.filter(({ as }) => as === 'file' || !pair) : [],
  }
}

/** What arrives of a file that is sent with a chat program. */
const SENDING = [
  {
    as: 'picture',
    keeps: 'still',
    detail:
      'Sent as a picture, WeChat, WhatsApp, Telegram and others encode it anew, and a still arrives. Newer versions send the video along with photos that they recognise.',
  },
  { as: 'file', keeps: 'all', detail: 'Sent as a file (document), every byte arrives.' },
] as const

function describeClip(place: Inspection['photo']['clip'], clip: Inspection['clip']) {
  if (!place) return null
  return {
    offset: place.offset,
    bytes: place.length,
    duration: clip ? Math.round(clip.durationSeconds * 1e6) / 1e6 : null,
    codec: clip?.codec ?? null,
    width: clip?.width ?? null,
    height: clip?.height ?? null,
    frames: clip?.frames ?? null,
    has_audio: clip?.hasAudio ?? null,
    fps: clip ? Math.round(clip.fps * 1000) / 1000 : null,
    profile: clip?.format?.profile ?? null,
    level: clip?.format?.level ?? null,
    bit_depth: clip?.format?.bitDepth ?? null,
    chroma: clip?.format?.chroma ?? null,
    interlaced: clip?.format?.isInterlaced ?? null,
  }
}

/**
 * The galleries that recognise a photo for sure, in a fixed order.
 * @example recognisedBy(inspection) // ['google', 'samsung']
 */
export function recognisedBy({ galleries }: Inspection): readonly string[] {
  const known = galleries.filter(({ recognised }) => recognised === 'yes')
  return GALLERIES.filter((name) => known.some(({ gallery }) => gallery === name))
}
