import { ServiceError } from '@lantern-room/base'
import { planRepair, type Reading } from '@lantern-room/formats'
import type { MotionPhotoProfile, PlannedFile } from '@lantern-room/formats/parts'
import { isZip, planLiveRepair, type Repair, type Sized, take } from '@lantern-room/formats/parts'

export type FileRepair = Repair & {
  /** Photo and video of a Live Photo, which `parts` has as a ZIP; undefined of a motion photo. */
  readonly files: readonly PlannedFile[] | undefined
}

/**
 * Mends a motion photo, or a ZIP with a Live Photo, without touching a pixel or a frame.
 * @param options.profile for whose galleries a motion photo is mended; default `universal`
 * @param options.newIdentifier a UUID in upper case, for a Live Photo that has none
 * @throws ServiceError as `planRepair` and `planLiveRepair`; `unprocessable` for a Live Photo with a profile
 * @example await readFrom(repairFile(source, { profile: undefined, newIdentifier }), source)
 */
export function* repairFile(
  file: Sized,
  options: { readonly profile: MotionPhotoProfile | undefined; readonly newIdentifier: string },
): Reading<FileRepair> {
  const head = yield* take(file, 0, 4)
  const { profile, newIdentifier } = options
  if (!isZip(head)) return { ...(yield* planRepair(file, profile ?? 'universal')), files: undefined }
  if (profile !== undefined) {
    throw new ServiceError(
      'unprocessable',
      'profile is for motion photos, and this is a Live Photo, which stays one: leave it out.',
    )
  }
  return yield* planLiveRepair(file, newIdentifier)
}
