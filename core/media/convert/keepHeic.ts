import { concatBytes } from '#core/bytes'
import { ServiceError, type Wording } from '#core/errors'
import { addXmpItem } from '#core/formats/heic/addXmpItem'
import { readHeic } from '#core/formats/heic/heic'
import type { MotionPhotoParts } from '#core/formats/motionPhoto/assemble'
import { planRepair } from '#core/formats/motionPhoto/repair'
import { encodeBox } from '#core/formats/mp4/boxes'
import { piecesOfParts } from '#core/formats/source/fileParts'
import { readNow } from '#core/formats/source/reading'

/**
 * Writes a motion photo whose picture stays the HEIC that it is, byte by byte: an item of XMP is added where there is none, and the
 * clip in a box `mpvd` at the end. The finished file is read back.
 * @param parts.cover a HEIC without a clip
 * @throws ServiceError `unprocessable` when it has no room for that, or is damaged
 * @see docs/motion-photo.md, "A HEIC that stays one"
 */
export function assembleHeic({
  cover,
  clip,
  profile,
  presentationTimestampUs: momentUs,
}: Pick<MotionPhotoParts, 'cover' | 'clip' | 'profile' | 'presentationTimestampUs'>): Uint8Array {
  const hasXmp = readNow(readHeic({ size: cover.length }), cover)?.xmpItem !== undefined
  const picture = hasXmp ? cover : addXmpItem(cover)
  const file = concatBytes(picture ? [picture, encodeBox('mpvd', clip)] : [])
  try {
    const { parts, after } = readNow(planRepair({ size: file.length }, profile, momentUs), file)
    if (after.photo.clip?.length !== clip.length) throw new ServiceError('internal', 'Its clip is not found.')
    return concatBytes(piecesOfParts(parts, file))
  } catch (cause) {
    if (!(cause instanceof ServiceError)) throw cause
    const detail: Wording = (nameOf) =>
      `The photo cannot be kept as a HEIC: its index or metadata is damaged, or has no room for what is missing. Leave ${nameOf('format')} out for a JPEG.`
    throw new ServiceError('unprocessable', detail, { cause })
  }
}
