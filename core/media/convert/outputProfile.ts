import { MOTION_PHOTO_PROFILES, type MotionPhotoProfile } from '../motionPhoto/profile'

/**
 * What can be made of a clip and a cover: one motion photo, or several files in a ZIP:
 * - `apple`: photo and video of a Live Photo
 * - `all`: a file for each family of galleries, and a note that says which is whose
 */
export const OUTPUT_PROFILES = [...MOTION_PHOTO_PROFILES, 'apple', 'all'] as const

export type OutputProfile = (typeof OUTPUT_PROFILES)[number]

export function isMotionPhotoProfile(profile: OutputProfile): profile is MotionPhotoProfile {
  return MOTION_PHOTO_PROFILES.some((known) => known === profile)
}
