import { GALLERIES } from '../motionPhoto/galleryNames'
import type { GalleryVerdict, Inspection } from '../motionPhoto/inspect'

/** What was found in a photo, as the API and the command line show it. */
export type InspectionSummary = ReturnType<typeof describeInspection>

export function describeInspection({ photo, clip, galleries }: Inspection) {
  const { xmp, exif, samsung, huawei, mpf } = photo
  return {
    format: photo.format,
    bytes: photo.size,
    width: photo.frame?.width ?? null,
    height: photo.frame?.height ?? null,
    taken_at: exif?.dateTimeOriginal ?? exif?.dateTime ?? null,
    time_zone: exif?.offsetTime ?? null,
    clip: photo.clip
      ? {
          offset: photo.clip.offset,
          bytes: photo.clip.length,
          duration: clip ? Math.round(clip.durationSeconds * 1e6) / 1e6 : null,
          codec: clip?.codec ?? null,
          width: clip?.width ?? null,
          height: clip?.height ?? null,
          frames: clip?.frames ?? null,
          has_audio: clip?.hasAudio ?? null,
        }
      : null,
    presentation_timestamp_us: xmp?.presentationTimestampUs ?? xmp?.microVideoPresentationTimestampUs ?? null,
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
    galleries: galleries.map(describeVerdict),
  }
}

function describeVerdict({ gallery, recognised, plays, timestamp, problems }: GalleryVerdict) {
  return {
    gallery,
    recognised,
    plays,
    timestamp,
    problems: problems.map(({ code, detail, repair }) => ({ code, detail, repair: repair ?? null })),
  }
}

/** The galleries that recognise a photo for sure, in a fixed order. */
export function recognisedBy({ galleries }: Inspection): readonly string[] {
  const known = new Set(
    galleries.filter(({ recognised }) => recognised === 'yes').map(({ gallery }) => gallery),
  )
  return GALLERIES.filter((gallery) => known.has(gallery))
}
