import type { MotionPhotoProfile, ProfileTraits } from '#core/formats/profiles/profile'

/** Clips that are not the baseline's own. */
export type ChangedClip = 'hevc' | 'no-sound' | 'silence' | 'longer'

/** In what one thing a file differs from the baseline, a photo of the profile `universal`. */
export type Variant = {
  readonly differs: string
  readonly profile?: MotionPhotoProfile | 'apple'
  readonly changes?: Partial<ProfileTraits>
  readonly clip?: ChangedClip
  /** The same bytes under a name of another pattern. @param time such as `20260304_050607` */
  readonly name?: (time: string) => string
}

/** In the order of the numbers in the files' names. */
export const VARIANTS: Readonly<Record<string, Variant>> = {
  universal: { differs: 'the profile universal: all others are compared with this photo' },
  'no-xiaomi-tag': { changes: { xiaomiTag: false }, differs: "no EXIF tag 0x8897 (Xiaomi's mark)" },
  'no-oppo-comment': { changes: { oppoComment: false }, differs: 'no UserComment oplus_8388608 (ColorOS)' },
  'no-oppo-fields': { changes: { oppoFields: false }, differs: 'no OpCamera fields in XMP (ColorOS)' },
  'no-mpf': { changes: { mpf: false }, differs: 'no MPF index' },
  'no-vivo-fields': { changes: { vivoFields: false }, differs: 'no VCamera fields in XMP (vivo)' },
  'no-samsung-trailer': { changes: { trailer: undefined }, differs: "without Samsung's block and trailer" },
  legacy: { profile: 'legacy', differs: 'the profile legacy: also the old MicroVideo fields' },
  'no-padding': { changes: { itemPadding: false }, differs: 'no Item:Padding in the directory' },
  'clip-first': { changes: { firstItem: 'clip' }, differs: 'directory: the clip before the picture' },
  'timestamp-absent': { changes: { timestamp: 'absent' }, differs: 'the moment of the still is not given' },
  'timestamp-zero': { changes: { timestamp: 'zero' }, differs: 'the moment of the still is 0' },
  'timestamp-milliseconds': { changes: { timestamp: 'milliseconds' }, differs: 'it is in milliseconds' },
  hevc: { clip: 'hevc', differs: 'the clip is HEVC instead of H.264' },
  'no-sound': { clip: 'no-sound', differs: 'the clip has no sound' },
  silence: { clip: 'silence', differs: 'the clip has a silent sound track' },
  longer: { clip: 'longer', differs: 'the clip is longer, up to ten seconds' },
  'name-mvimg': { name: (time) => `MVIMG_${time}.jpg`, differs: 'an old name of Pixel and Xiaomi' },
  // Pixel cameras add milliseconds.
  'name-pxl': { name: (time) => `PXL_${time}000.MP.jpg`, differs: 'a name of Pixel cameras' },
  'name-img': { name: (time) => `IMG_${time}.jpg`, differs: 'the name of an ordinary photo, without MP' },
  google: { profile: 'google', differs: "the profile google: Google's specification and nothing else" },
  huawei: { profile: 'huawei', differs: 'the profile huawei: the tail of Huawei and Honor' },
  apple: { profile: 'apple', differs: 'the two files of a Live Photo as a ZIP' },
}
