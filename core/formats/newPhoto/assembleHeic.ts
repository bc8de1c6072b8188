import { concatBytes } from '@lantern-room/base/bytes'
import { encodeBox } from '@lantern-room/mp4/boxes'
import { FormatError, piecesOfParts, readNow } from '@lantern-room/mp4/source'
import { planRepair } from '../existingPhoto/repair'
import { addXmpItem } from '../heic/addXmpItem'
import { readHeic } from '../heic/heic'
import type { MotionPhotoParts } from './assemble'

/**
 * Writes a motion photo whose picture stays the HEIC that it is, byte by byte: an item of XMP is added where there is none, and the
 * clip in a box `mpvd` at the end. The finished file is read back.
 * @param parts.cover a HEIC without a clip
 * @param parts.presentationTimestampUs the moment of the clip that the cover shows, in microseconds
 * @throws FormatError `irreparable` when the HEIC has no room for that, or is damaged
 * @see docs/motion-photo.md, "A HEIC that stays one"
 * @example
 * const photo = assembleHeic({ cover: heic, clip: mp4, profile: 'google', presentationTimestampUs: 1_500_000 })
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
    if (after.photo.clip?.length === clip.length) return concatBytes(piecesOfParts(parts, file))
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause
    throw refusal(cause)
  }
  throw refusal('its clip is not found')
}

function refusal(cause: unknown): FormatError {
  const detail =
    'The photo cannot be kept as a HEIC: its index or metadata is damaged, or has no room for what is missing.'
  return new FormatError('irreparable', detail, { cause })
}
