import type { Inspection } from '@lantern-room/formats'
import { GALLERIES, googleTimeUs } from '@lantern-room/formats/parts'
import type { Donor } from './readDonor'

/** The findings of an inspection, as the API and the command line show them. */
export type InspectionSummary = ReturnType<typeof describeInspection>

/** @param donor a photo of the phone with which it is compared */
export function describeInspection(inspection: Inspection, donor?: Donor) {
  const { photo, clip, pair, galleries } = inspection
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
    ...(donor && {
      donor: {
        maker: donor.maker ?? null,
        model: donor.model ?? null,
        family: donor.family,
        profile: donor.profile,
        differences: compareWithDonor(inspection, donor),
      },
    }),
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

/** The galleries that recognise a photo for sure, in a fixed order. */
export function recognisedBy({ galleries }: Inspection): readonly string[] {
  const known = galleries.filter(({ recognised }) => recognised === 'yes')
  return GALLERIES.filter((name) => known.some(({ gallery }) => gallery === name))
}

/** What a photo has otherwise than the donor's phone writes it, in a fixed order; null = absent. */
function compareWithDonor({ photo }: Pick<Inspection, 'photo'>, donor: Donor) {
  const ours = factsOf(photo)
  const theirs = factsOf(donor.photo)
  return Object.keys(ours)
    .map((what) => ({ what, photo: ours[what] ?? null, donor: theirs[what] ?? null }))
    .filter((row) => row.photo !== row.donor)
}

/** By what a gallery could tell photos apart, as text. */
function factsOf({
  exif,
  xmp,
  samsung,
  huawei,
  mpf,
  format,
}: Donor['photo']): Record<string, string | undefined> {
  const text = (value: number | undefined) => (value === undefined ? undefined : String(value))
  const present = (mark: unknown) => (mark === undefined ? undefined : 'present')
  return {
    format,
    maker: exif?.maker,
    model: exif?.model,
    'MotionPhoto (XMP)': text(xmp?.motionPhoto),
    'MotionPhotoVersion (XMP)': text(xmp?.motionPhotoVersion),
    'MicroVideo (XMP)': text(xmp?.microVideo),
    'directory (XMP)': xmp?.items.map(({ semantic }) => semantic ?? '?').join(', '),
    'Samsung trailer': present(samsung),
    'Huawei tail': present(huawei),
    'Xiaomi tag 0x8897': exif?.xiaomiMark,
    UserComment: exif?.userComment,
    MPF: present(mpf),
    'OPPO owner': xmp?.oplus?.owner,
    'OPPO OLivePhotoVersion': text(xmp?.oplus?.oLivePhotoVersion),
    'vivo VMotionPhotoVersion': text(xmp?.vivo?.motionPhotoVersion),
    'vivo VMediaKitVersion': xmp?.vivo?.mediaKitVersion,
    'content identifier (Apple)': present(exif?.contentIdentifier),
  }
}
