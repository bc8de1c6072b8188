import type { MotionPhotoProfile, ProfileTraits } from '#core/formats/profiles/profile'

/** Clips that are not the baseline's own. */
export type ChangedClip = 'hevc' | 'no-sound' | 'silence' | 'longer'

/** In what one thing a photo differs from the baseline, which is of the profile `universal`. */
export type VariantChange =
  | { readonly kind: 'traits'; readonly traits: Partial<ProfileTraits> }
  | { readonly kind: 'profile'; readonly profile: MotionPhotoProfile }
  | { readonly kind: 'clip'; readonly clip: ChangedClip }
  /** The same bytes under a name of another pattern. */
  | { readonly kind: 'name'; readonly pattern: 'MVIMG' | 'PXL' | 'IMG' }
  | { readonly kind: 'live-photo' }

export type Variant = {
  readonly change: VariantChange
  /** Whether the clip's pictures are those of the baseline, bit for bit. The still's always are. */
  readonly hasSameFrames: boolean
  /** One sentence: what differs, and what the result shows. */
  readonly differs: string
}

const traits = (changed: Partial<ProfileTraits>, differs: string): Variant => ({
  change: { kind: 'traits', traits: changed },
  hasSameFrames: true,
  differs,
})

const profile = (name: MotionPhotoProfile, differs: string): Variant => ({
  change: { kind: 'profile', profile: name },
  hasSameFrames: true,
  differs,
})

const clip = (name: ChangedClip, hasSameFrames: boolean, differs: string): Variant => ({
  change: { kind: 'clip', clip: name },
  hasSameFrames,
  differs,
})

const named = (pattern: 'MVIMG' | 'PXL' | 'IMG', differs: string): Variant => ({
  change: { kind: 'name', pattern },
  hasSameFrames: true,
  differs,
})

const VARIANTS_BY_ID = {
  universal: profile('universal', 'The profile universal as it is: all others are compared with this photo.'),
  'no-xiaomi-tag': traits(
    { xiaomiTag: false },
    "Without Xiaomi's EXIF tag 0x8897: tells whether the gallery needs it.",
  ),
  'no-oppo-comment': traits(
    { oppoComment: false },
    'Without the UserComment oplus_8388608: tells whether ColorOS needs it.',
  ),
  'no-oppo-fields': traits(
    { oppoFields: false },
    'Without the OpCamera fields in XMP: tells whether ColorOS needs them.',
  ),
  'no-mpf': traits({ mpf: false }, 'Without the MPF index: tells whether the gallery looks for it.'),
  'no-vivo-fields': traits(
    { vivoFields: false },
    'Without the VCamera fields in XMP: tells whether vivo needs them.',
  ),
  'no-samsung-trailer': traits(
    { trailer: undefined },
    "Without Samsung's block header and trailer: tells whether the gallery finds the clip by them.",
  ),
  legacy: profile(
    'legacy',
    'The profile legacy, with the old MicroVideo fields: tells whether the gallery reads them, or stumbles over them.',
  ),
  'no-padding': traits(
    { itemPadding: false },
    'Without Item:Padding in the directory: tells whether the gallery counts from the picture to the clip.',
  ),
  'clip-first': traits(
    { firstItem: 'clip' },
    'The directory lists the clip before the picture: tells whether the gallery goes by order or by name.',
  ),
  'timestamp-absent': traits(
    { timestamp: 'absent' },
    'Without the moment of the still: tells where the gallery begins when it is not told.',
  ),
  'timestamp-zero': traits(
    { timestamp: 'zero' },
    'The moment of the still is 0, the first frame: tells whether the gallery uses it.',
  ),
  'timestamp-milliseconds': traits(
    { timestamp: 'milliseconds' },
    'The moment of the still is in milliseconds: tells whether the gallery reads microseconds.',
  ),
  hevc: clip('hevc', false, 'The clip is HEVC instead of H.264: tells whether the gallery plays it.'),
  'no-sound': clip('no-sound', true, 'The clip has no sound: tells whether the gallery wants a sound track.'),
  silence: clip(
    'silence',
    true,
    'The clip has a silent sound track: tells whether the gallery wants a sound track.',
  ),
  longer: clip(
    'longer',
    false,
    'The clip is longer, up to ten seconds: tells whether the gallery limits its length.',
  ),
  'name-mvimg': named(
    'MVIMG',
    'The same bytes under an old name of Pixel and Xiaomi (MVIMG_): tells whether the name counts.',
  ),
  'name-pxl': named(
    'PXL',
    'The same bytes under a name of Pixel cameras (PXL_, .MP.jpg): tells whether the name counts.',
  ),
  'name-img': named(
    'IMG',
    'The same bytes under the name of an ordinary photo (IMG_, without MP): tells whether the name counts.',
  ),
  google: profile(
    'google',
    "The profile google, strictly Google's specification: tells whether that alone is enough.",
  ),
  huawei: profile(
    'huawei',
    'The profile huawei, which ends with the tail of Huawei and Honor: tells whether they find the clip.',
  ),
  apple: {
    change: { kind: 'live-photo' },
    hasSameFrames: true,
    differs:
      'The profile apple, a ZIP with the two files of a Live Photo: tells whether Photos takes both as one.',
  },
} as const satisfies Readonly<Record<string, Variant>>

export type VariantId = keyof typeof VARIANTS_BY_ID

/** In the order of the page and of the numbers in the files' names. */
export const VARIANT_IDS = Object.keys(VARIANTS_BY_ID) as [VariantId, ...VariantId[]]

export const VARIANTS: Readonly<Record<VariantId, Variant>> = VARIANTS_BY_ID

export const BASELINE: VariantId = 'universal'
