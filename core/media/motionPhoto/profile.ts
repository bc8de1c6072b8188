/**
 * Which galleries the file is written for:
 * - `universal`: every known gallery; Google's tags, Samsung's trailer, and the tags of Xiaomi, vivo and OPPO
 * - `google`: strictly Google's specification: nothing after the clip, no other vendor's tags
 * - `legacy`: universal, and the older MicroVideo tags for old Xiaomi phones and old galleries, which ColorOS rejects
 * @see docs/motion-photo.md, "Profiles"
 */
export const MOTION_PHOTO_PROFILES = ['universal', 'google', 'legacy'] as const

export type MotionPhotoProfile = (typeof MOTION_PHOTO_PROFILES)[number]

export type ProfileTraits = {
  /** Samsung's block header before the clip and its trailer, wrapped in a `free` box, after it. */
  readonly samsungTrailer: boolean
  /** Tags of Xiaomi (EXIF 0x8897), vivo (XMP) and OPPO (XMP, UserComment, MPF). */
  readonly vendorTags: boolean
  /** GCamera:MicroVideo, which Google's specification has dropped. */
  readonly microVideo: boolean
}

export const PROFILE_TRAITS: Readonly<Record<MotionPhotoProfile, ProfileTraits>> = {
  universal: { samsungTrailer: true, vendorTags: true, microVideo: false },
  google: { samsungTrailer: false, vendorTags: false, microVideo: false },
  legacy: { samsungTrailer: true, vendorTags: true, microVideo: true },
}
