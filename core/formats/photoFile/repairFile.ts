import { FormatError, type Reading, type Sized, take } from '@lantern-room/mp4/source'
import { planRepair, type Repair } from '../existingPhoto/repair'
import { planLiveRepair } from '../livePhoto/repairLivePhoto'
import type { PlannedFile } from '../livePhoto/zipParts'
import type { MotionPhotoProfile } from '../profiles/profile'
import { isZip } from '../zip/zipDirectory'

export type FileRepair = Repair & {
  /** Photo and video of a Live Photo, which `parts` has as a ZIP; undefined of a motion photo. */
  readonly files: readonly PlannedFile[] | undefined
}

/**
 * Mends a motion photo, or a ZIP with a Live Photo, without touching a pixel or a frame.
 * @param options.profile for whose galleries a motion photo is mended. @default 'universal'
 * @param options.newIdentifier a UUID in upper case, for a Live Photo that has none
 * @throws FormatError as `planRepair` and `planLiveRepair`; `irreparable` for a Live Photo with a profile
 * @example
 * const newIdentifier = crypto.randomUUID().toUpperCase()
 * const { parts } = await readFrom(repairFile(source, { profile: undefined, newIdentifier }), source)
 */
export function* repairFile(
  file: Sized,
  options: { readonly profile: MotionPhotoProfile | undefined; readonly newIdentifier: string },
): Reading<FileRepair> {
  const isPacked = isZip(yield* take(file, 0, 4))
  const { profile, newIdentifier } = options
  if (!isPacked) return { ...(yield* planRepair(file, profile ?? 'universal')), files: undefined }
  if (profile !== undefined) {
    throw new FormatError(
      'irreparable',
      'profile is for motion photos, and this is a Live Photo, which stays one: leave it out.',
    )
  }
  return yield* planLiveRepair(file, newIdentifier)
}
