import { ServiceError } from '#core/errors'
import { isZip } from '#core/formats/livePhoto/readZip'
import { planLiveRepair } from '#core/formats/livePhoto/repairLivePhoto'
import type { PlannedFile } from '#core/formats/livePhoto/zipParts'
import { planRepair, type Repair } from '#core/formats/motionPhoto/repair'
import type { MotionPhotoProfile } from '#core/formats/profiles/profile'
import { type Reading, type Sized, take } from '#core/formats/source/reading'

export type FileRepair = Repair & {
  /** Photo and video of a Live Photo, which `parts` has as a ZIP; undefined of a motion photo. */
  readonly files: readonly PlannedFile[] | undefined
}

/**
 * Mends a motion photo, or a ZIP with a Live Photo, without touching a pixel or a frame.
 * @param options.profile for whose galleries a motion photo is mended; default `universal`
 * @param options.newIdentifier a UUID in upper case, for a Live Photo that has none
 * @throws ServiceError as `planRepair` and `planLiveRepair`; `unprocessable` for a Live Photo with a profile
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
