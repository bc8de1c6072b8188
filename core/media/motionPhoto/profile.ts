/**
 * Which galleries the file is written for:
 * - `universal`: every known gallery; Google's tags, Samsung's trailer, and the tags of Xiaomi, vivo and OPPO
 * - `google`: strictly Google's specification: nothing after the clip, no other vendor's tags
 * - `legacy`: universal, and the older MicroVideo tags for old Xiaomi phones and old galleries, which ColorOS rejects
 * - `huawei`: Google's tags, and the tail by which Huawei and Honor find the clip
 * @see docs/motion-photo.md, "Profiles"
 */
export const MOTION_PHOTO_PROFILES = ['universal', 'google', 'legacy', 'huawei'] as const

export type MotionPhotoProfile = (typeof MOTION_PHOTO_PROFILES)[number]

export type ProfileTraits = {
  /**
   * What follows the clip: Samsung's trailer, wrapped in a `free` box, with a block header before the clip; or Huawei's tail.
   * A file can end with one of them only.
   */
  readonly trailer: 'samsung' | 'huawei' | undefined
  /** Tags of Xiaomi (EXIF 0x8897), vivo (XMP) and OPPO (XMP, UserComment, MPF). */
  readonly vendorTags: boolean
  /** GCamera:MicroVideo, which Google's specification has dropped. */
  readonly microVideo: boolean
}

export const PROFILE_TRAITS: Readonly<Record<MotionPhotoProfile, ProfileTraits>> = {
  universal: { trailer: 'samsung', vendorTags: true, microVideo: false },
  google: { trailer: undefined, vendorTags: false, microVideo: false },
  legacy: { trailer: 'samsung', vendorTags: true, microVideo: true },
  huawei: { trailer: 'huawei', vendorTags: false, microVideo: false },
}
