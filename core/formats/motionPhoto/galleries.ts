import { OPLUS_COMMENT } from '../exif/exif'
import type { Gallery } from '../profiles/profile'
import { isClipItem } from '../xmp/readXmp'
import texts from './checks.json'
import type { ClipFacts } from './clipFacts'
import { googleTimeUs, huaweiTimeUs } from './presentation'
import type { MotionPhoto } from './read'
import { MOTION_PHOTO_DATA } from './samsung'

/** A photo, and what its clip is when there is one that can be read. */
export type Subject = { readonly photo: MotionPhoto; readonly clip: ClipFacts | undefined }

/** The clip begins where the directory says, counted from the end of the file. */
function clipOffsetByLength({ size, xmp }: MotionPhoto): number | undefined {
  const items = xmp?.items ?? []
  const at = items.findIndex(isClipItem)
  const after = items.slice(at).reduce((bytes, item) => bytes + (item.length ?? Number.NaN), 0)
  return at < 0 || Number.isNaN(after) ? undefined : size - after
}

/** What a gallery wants of a photo; what is wrong otherwise, and what a repair does about it, is in `checks.json`. */
const CHECKS_BY_NAME = {
  'has-clip': ({ photo }) => photo.clip !== undefined,
  'google-mark': ({ photo }) => photo.xmp?.motionPhoto === 1,
  'google-directory': ({ photo }) => photo.xmp?.items.some(isClipItem) === true,
  // In a HEIC the box `mpvd` leads to the clip, and Samsung's lengths there are wrong.
  'item-length': ({ photo }) =>
    photo.motionPhotoBox !== undefined || clipOffsetByLength(photo) === photo.clip?.offset,
  'micro-video': ({ photo }) => photo.xmp?.microVideo === 1,
  'micro-video-offset': ({ photo: { xmp, clip, size } }) =>
    xmp?.microVideoOffset !== undefined && clip?.offset === size - xmp.microVideoOffset,
  'no-micro-video': ({ photo }) => photo.xmp?.microVideo === undefined,
  'samsung-block': ({ photo }) => samsungOffset(photo) === photo.clip?.offset,
  'xiaomi-mark': ({ photo }) => photo.exif?.xiaomiMark !== undefined,
  'xiaomi-place': ({ photo }) => photo.exif?.xiaomiMark !== 'IFD0',
  'oppo-xmp': ({ photo }) => photo.xmp?.oplus !== undefined,
  'oppo-length': ({ photo: { xmp, clip } }) =>
    xmp?.oplus?.videoLength === undefined || xmp.oplus.videoLength === clip?.length,
  'oppo-comment': ({ photo }) => isLiveComment(photo.exif?.userComment),
  // A HEIC has an index of its own.
  'oppo-index': ({ photo }) => photo.format === 'heic' || photo.mpf !== undefined,
  'vivo-xmp': ({ photo }) => photo.xmp?.vivo?.motionPhotoVersion !== undefined,
  'huawei-tail': ({ photo }) => photo.huawei !== undefined && photo.huawei.clipOffset === photo.clip?.offset,
  'special-format': ({ photo }) => photo.xmp?.isSpecialFormat === true,
  'apple-pair': () => false,
} as const satisfies Readonly<Record<string, (subject: Subject) => boolean>>

export type CheckName = keyof typeof CHECKS_BY_NAME
export const CHECK_NAMES = Object.keys(CHECKS_BY_NAME) as [CheckName, ...CheckName[]]

export const CHECKS: Readonly<Record<CheckName, (subject: Subject) => boolean>> = CHECKS_BY_NAME

/** What is wrong when one does not hold, for a person, and what a repair does about it, if anything. */
export const CHECK_TEXTS: Readonly<Record<CheckName, { problem: string; repair?: string }>> = texts

export type GalleryRules = {
  /** The gallery recognises the file if all checks of one list hold. Problems are told of the first list. */
  readonly ways: readonly (readonly CheckName[])[]
  /** Reports disagree whether the gallery needs these. Default: none. */
  readonly disputed?: readonly CheckName[]
  /** Which place of the clip the gallery shows first. */
  readonly coverTime: (subject: Subject) => number | undefined
}

const GOOGLE_WAY = ['has-clip', 'google-mark', 'google-directory', 'item-length'] as const
const MICRO_VIDEO_WAY = ['has-clip', 'micro-video', 'micro-video-offset'] as const

const googleTime = ({ photo }: Subject) => googleTimeUs(photo)

/** @see docs/motion-photo.md, "What each gallery reads" */
export const GALLERY_RULES: Readonly<Record<Gallery, GalleryRules>> = {
  google: { ways: [GOOGLE_WAY, MICRO_VIDEO_WAY], coverTime: googleTime },
  samsung: { ways: [['has-clip', 'samsung-block']], coverTime: googleTime },
  xiaomi: {
    ways: [
      ['xiaomi-place', 'xiaomi-mark', ...GOOGLE_WAY],
      ['xiaomi-place', 'xiaomi-mark', ...MICRO_VIDEO_WAY],
    ],
    coverTime: googleTime,
  },
  oppo: {
    ways: [[...GOOGLE_WAY, 'no-micro-video', 'oppo-xmp']],
    disputed: ['oppo-length', 'oppo-comment', 'oppo-index'],
    coverTime: ({ photo: { xmp } }) => xmp?.oplus?.presentationTimestampUs ?? xmp?.presentationTimestampUs,
  },
  vivo: { ways: [[...GOOGLE_WAY, 'vivo-xmp']], coverTime: googleTime },
  huawei: {
    ways: [['has-clip', 'huawei-tail']],
    coverTime: ({ photo, clip }) => huaweiTimeUs(photo, clip),
  },
  android: { ways: [['has-clip', 'special-format']], coverTime: googleTime },
  apple: { ways: [['apple-pair']], coverTime: () => undefined },
}

function samsungOffset({ samsung, motionPhotoBox }: MotionPhoto): number | undefined {
  const block = samsung?.blocks.find(({ type }) => type === MOTION_PHOTO_DATA)
  // In a HEIC the block only says where the box is.
  return block && motionPhotoBox ? motionPhotoBox.start : block?.offset
}

const LIVE_FLAG = 2 ** 23

/** Whether a UserComment is one of OPPO's cameras that marks a live photo. */
export function isLiveComment(comment: string | undefined): boolean {
  return comment !== undefined && asLiveComment(comment) === comment
}

/** A UserComment of OPPO's cameras, with the flag of a live photo. @returns undefined of another comment */
function asLiveComment(comment: string): string | undefined {
  const flags = Number(/^oplus_(\d{1,15})$/.exec(comment)?.[1])
  if (Number.isNaN(flags)) return undefined
  return Math.floor(flags / LIVE_FLAG) % 2 === 1 ? comment : `oplus_${flags + LIVE_FLAG}`
}

/** The UserComment that ColorOS needs; undefined when it is there, or the user's own words are. */
export function commentFor(comment: string | undefined): string | undefined {
  if (comment === undefined || comment === '') return OPLUS_COMMENT
  return isLiveComment(comment) ? undefined : asLiveComment(comment)
}
