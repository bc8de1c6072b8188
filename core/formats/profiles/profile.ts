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

/** The profile for a maker's phones, by its name in lower case. */
export const PHONE_PROFILES: ReadonlyMap<string, MotionPhotoProfile> = new Map([
  ...['samsung', 'xiaomi', 'redmi', 'poco', 'oppo', 'oneplus', 'realme', 'vivo', 'iqoo', 'pixel'].map(
    (phone) => [phone, 'universal'] as const,
  ),
  ['honor', 'huawei'] as const,
])

/**
 * The profile of this name, or for the phones of a maker, whose name may be in capitals.
 * @returns undefined for another name
 * @example
 * motionPhotoProfileNamed('Xiaomi') // 'universal'
 */
export function motionPhotoProfileNamed(name: string): MotionPhotoProfile | undefined {
  return MOTION_PHOTO_PROFILES.find((profile) => profile === name) ?? PHONE_PROFILES.get(name.toLowerCase())
}

export type ProfileTraits = {
  /**
   * What follows the clip: Samsung's trailer, wrapped in a `free` box, with a block header before the clip; or Huawei's tail.
   * A file can end with one of them only.
   */
  readonly trailer: 'samsung' | 'huawei' | undefined
  /** Xiaomi's mark: EXIF 0x8897. */
  readonly xiaomiTag: boolean
  /** OPPO's marks: the UserComment of its cameras, the OpCamera fields in XMP, and an MPF index also without a gain map. */
  readonly oppoComment: boolean
  readonly oppoFields: boolean
  readonly mpf: boolean
  /** vivo's mark: the VCamera fields in XMP. */
  readonly vivoFields: boolean
  /** GCamera:MicroVideo, which Google's specification has dropped. */
  readonly microVideo: boolean
  /** Whether the items of the directory have Item:Padding. */
  readonly itemPadding: boolean
  /** Which of picture and clip the directory lists first. The specification wants the picture. */
  readonly firstItem: 'picture' | 'clip'
  /** How the moment of the still is given in all fields of XMP that have it. The specification wants microseconds. */
  readonly timestamp: 'microseconds' | 'milliseconds' | 'zero' | 'absent'
}

/** What every profile does alike: only a trial changes it. */
const BY_SPECIFICATION = {
  itemPadding: true,
  firstItem: 'picture',
  timestamp: 'microseconds',
} as const

const UNIVERSAL: ProfileTraits = {
  ...BY_SPECIFICATION,
  trailer: 'samsung',
  xiaomiTag: true,
  oppoComment: true,
  oppoFields: true,
  mpf: true,
  vivoFields: true,
  microVideo: false,
}

const GOOGLE: ProfileTraits = {
  ...BY_SPECIFICATION,
  trailer: undefined,
  xiaomiTag: false,
  oppoComment: false,
  oppoFields: false,
  mpf: false,
  vivoFields: false,
  microVideo: false,
}

export const PROFILE_TRAITS: Readonly<Record<MotionPhotoProfile, ProfileTraits>> = {
  universal: UNIVERSAL,
  google: GOOGLE,
  legacy: { ...UNIVERSAL, microVideo: true },
  huawei: { ...GOOGLE, trailer: 'huawei' },
}

/** A profile, and what is written otherwise than it says: for trials only. */
export type ChangedProfile = {
  readonly profile: MotionPhotoProfile
  readonly changes?: Partial<ProfileTraits> | undefined
}

export function traitsOf({ profile, changes }: ChangedProfile): ProfileTraits {
  return { ...PROFILE_TRAITS[profile], ...changes }
}

/** Families of galleries that recognise motion photos by the same marks; `android` is its own list (MediaStore), for all programs. */
export const GALLERIES = [
  'google',
  'samsung',
  'xiaomi',
  'oppo',
  'vivo',
  'huawei',
  'android',
  'apple',
] as const

export type Gallery = (typeof GALLERIES)[number]
