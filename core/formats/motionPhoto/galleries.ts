import type { Gallery } from '../profiles/profile'
import { isClipItem } from '../xmp/readXmp'
import type { ClipFacts } from './clipFacts'
import { googleTimeUs, huaweiTimeUs } from './presentation'
import type { MotionPhoto } from './read'
import { MOTION_PHOTO_DATA } from './samsung'

/** A photo, and what its clip is when there is one that can be read. */
export type Subject = { readonly photo: MotionPhoto; readonly clip: ClipFacts | undefined }

export type Check = {
  readonly holds: (subject: Subject) => boolean
  /** What is wrong when it does not hold, for a person. */
  readonly problem: string
  /** What a repair does about it; undefined when nothing can be done. */
  readonly repair: string | undefined
}

/** The clip begins where the directory says, counted from the end of the file. */
function clipOffsetByLength({ size, xmp }: MotionPhoto): number | undefined {
  const items = xmp?.items ?? []
  const at = items.findIndex(isClipItem)
  const after = items.slice(at).reduce((bytes, item) => bytes + (item.length ?? Number.NaN), 0)
  return at < 0 || Number.isNaN(after) ? undefined : size - after
}

const CHECKS_BY_NAME = {
  'has-clip': {
    holds: ({ photo }) => photo.clip !== undefined,
    problem: 'The file has no video: a chat program, an editor or an upload has cut it off.',
    repair: undefined,
  },
  'google-mark': {
    holds: ({ photo }) => photo.xmp?.motionPhoto === 1,
    problem: 'XMP does not say GCamera:MotionPhoto="1".',
    repair: 'write GCamera:MotionPhoto="1"',
  },
  'google-directory': {
    holds: ({ photo }) => photo.xmp?.items.some(isClipItem) === true,
    problem: 'XMP has no Container:Directory that lists the video.',
    repair: 'write a Container:Directory with the picture and the video',
  },
  'item-length': {
    // In a HEIC the box `mpvd` leads to the clip, and Samsung's lengths there are wrong.
    holds: ({ photo }) =>
      photo.motionPhotoBox !== undefined || clipOffsetByLength(photo) === photo.clip?.offset,
    problem: "Item:Length of the video does not lead from the file's end to its first byte.",
    repair: 'correct Item:Length and Item:Padding',
  },
  'micro-video': {
    holds: ({ photo }) => photo.xmp?.microVideo === 1,
    problem: 'XMP does not say GCamera:MicroVideo="1".',
    repair: undefined,
  },
  'micro-video-offset': {
    holds: ({ photo: { xmp, clip, size } }) =>
      xmp?.microVideoOffset !== undefined && clip?.offset === size - xmp.microVideoOffset,
    problem: "GCamera:MicroVideoOffset does not lead from the file's end to the video.",
    repair: 'correct GCamera:MicroVideoOffset',
  },
  'no-micro-video': {
    holds: ({ photo }) => photo.xmp?.microVideo === undefined,
    problem: 'XMP has GCamera:MicroVideo, with which ColorOS falls back to old code and shows a still.',
    repair: 'remove GCamera:MicroVideo (not for the profile legacy)',
  },
  'samsung-block': {
    holds: ({ photo }) => samsungOffset(photo) === photo.clip?.offset,
    problem: 'No Samsung directory at the end of the file leads to the video.',
    repair: "write Samsung's block header and directory",
  },
  'xiaomi-mark': {
    holds: ({ photo }) => photo.exif?.xiaomiMark !== undefined,
    problem: "EXIF does not have Xiaomi's tag 0x8897.",
    repair: 'write tag 0x8897 into ExifIFD',
  },
  'xiaomi-place': {
    holds: ({ photo }) => photo.exif?.xiaomiMark !== 'IFD0',
    problem: "Xiaomi's tag 0x8897 is in IFD0. Its galleries look in ExifIFD.",
    repair: 'move tag 0x8897 from IFD0 to ExifIFD',
  },
  'oppo-xmp': {
    holds: ({ photo }) => photo.xmp?.oplus !== undefined,
    problem: 'XMP has no OpCamera fields.',
    repair: 'write the OpCamera fields',
  },
  'oppo-length': {
    holds: ({ photo: { xmp, clip } }) =>
      xmp?.oplus?.videoLength === undefined || xmp.oplus.videoLength === clip?.length,
    problem: 'OpCamera:VideoLength is not the length of the video.',
    repair: 'correct OpCamera:VideoLength',
  },
  'oppo-comment': {
    holds: ({ photo }) => isLiveComment(photo.exif?.userComment),
    problem: 'EXIF UserComment is not an oplus_ number with bit 23, such as oplus_8388608.',
    repair: 'write UserComment oplus_8388608',
  },
  'oppo-index': {
    // A HEIC has an index of its own.
    holds: ({ photo }) => photo.format === 'heic' || photo.mpf !== undefined,
    problem: 'There is no MPF index, for which ColorOS looks.',
    repair: 'write an MPF index',
  },
  'vivo-xmp': {
    holds: ({ photo }) => photo.xmp?.vivo?.motionPhotoVersion !== undefined,
    problem: 'XMP has no VCamera:VMotionPhotoVersion.',
    repair: 'write the VCamera fields',
  },
  'huawei-tail': {
    holds: ({ photo }) => photo.huawei !== undefined && photo.huawei.clipOffset === photo.clip?.offset,
    problem: 'The file does not end with the 60 bytes (LIVE_…) by which Huawei and Honor find the video.',
    repair: "write Huawei's tail (profile huawei)",
  },
  'special-format': {
    holds: ({ photo }) => photo.xmp?.isSpecialFormat === true,
    problem:
      'Android looks for Camera:MotionPhoto="1" or GCamera:MotionPhoto="1" as an attribute of the first rdf:Description, and for Container:Directory with Item:Length, by just these prefixes.',
    repair: 'write the marks with these prefixes',
  },
  'apple-pair': {
    holds: () => false,
    problem:
      'An iPhone takes a photo and a video in two files with one identifier, and shows this file as a still. The profile apple makes both.',
    repair: undefined,
  },
} as const satisfies Readonly<Record<string, Check>>

export type CheckName = keyof typeof CHECKS_BY_NAME
export const CHECK_NAMES = Object.keys(CHECKS_BY_NAME) as [CheckName, ...CheckName[]]

export const CHECKS: Readonly<Record<CheckName, Check>> = CHECKS_BY_NAME

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
export function asLiveComment(comment: string): string | undefined {
  const flags = Number(/^oplus_(\d{1,15})$/.exec(comment)?.[1])
  if (Number.isNaN(flags)) return undefined
  return Math.floor(flags / LIVE_FLAG) % 2 === 1 ? comment : `oplus_${flags + LIVE_FLAG}`
}
