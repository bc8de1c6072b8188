import { hasBytesAt } from '@lantern-room/base/bytes'
import { readBoxHeader } from '@lantern-room/mp4/boxes'
import { OPLUS_COMMENT } from '../exif/exif'
import { APP2, MPF_HEADER_OFFSET, MPF_MARK } from '../exif/mpf'
import { HUAWEI_TAIL_SIZE } from '../motionPhoto/huawei'
import { type MotionPhoto, readMotionPhoto } from '../motionPhoto/read'
import { CLIP_BLOCK_HEADER, MOTION_PHOTO_DATA, SAMSUNG_TRAILER_SIZE } from '../motionPhoto/samsung'
import { type ChangedProfile, type ProfileTraits, traitsOf } from '../profiles/profile'

export type Expected = ChangedProfile & {
  /** Bytes of the clip that was written. */
  readonly clipBytes: number
  /** The size of the gain map between picture and clip; 0 without one. */
  readonly gainMapBytes?: number
  /** Whether EXIF is a photo's own, which may have other words and no thumbnail. */
  readonly hasOwnMetadata?: boolean
}

/**
 * Reads a motion photo back and checks that all the lengths and distances in it agree with where things really are.
 * @returns a sentence per equation that does not hold; none when the file is right
 * @see docs/motion-photo.md, "Equations"
 */
export function brokenEquations(file: Uint8Array, expected: Expected): string[] {
  const photo = readMotionPhoto(file)
  if (!photo) return ['the file reads as a motion photo']
  const traits = traitsOf(expected)
  const { gainMapBytes = 0, hasOwnMetadata = false } = expected
  const hasMpf = traits.mpf || gainMapBytes > 0
  const equations = {
    ...containerEquations(file, photo, expected, traits),
    ...(traits.trailer === 'samsung' ? samsungEquations(file, photo, expected.clipBytes) : {}),
    ...(traits.trailer === 'huawei' ? huaweiEquations(file, photo, expected.clipBytes) : {}),
    'only its profile brings a Samsung trailer':
      (photo.samsung !== undefined) === (traits.trailer === 'samsung'),
    'only its profile brings a Huawei tail': (photo.huawei !== undefined) === (traits.trailer === 'huawei'),
    'only its profile brings the Xiaomi tag, and into ExifIFD':
      photo.exif?.xiaomiMark === (traits.xiaomiTag ? 'ExifIFD' : undefined),
    "only its profile brings the UserComment of OPPO's cameras":
      hasOwnMetadata || photo.exif?.userComment === (traits.oppoComment ? OPLUS_COMMENT : undefined),
    'only its profile and a gain map bring MPF': (photo.mpf !== undefined) === hasMpf,
    'MPF lists the pictures that there are, where they are':
      !hasMpf || isTrueIndex(file, photo, gainMapBytes),
    'only its profile brings vivo and OPPO tags':
      (photo.xmp?.vivo !== undefined) === traits.vivoFields &&
      (photo.xmp?.oplus !== undefined) === traits.oppoFields,
    'OpCamera:VideoLength = clip': !traits.oppoFields || photo.xmp?.oplus?.videoLength === expected.clipBytes,
    'MicroVideoOffset = clip start to end of file':
      photo.xmp?.microVideoOffset === (traits.microVideo ? clipToEnd(file, photo) : undefined),
    'the thumbnail is a JPEG':
      hasOwnMetadata || hasBytesAt(photo.exif?.thumbnail ?? new Uint8Array(), 0, Uint8Array.of(0xff, 0xd8)),
  }
  return Object.entries(equations).flatMap(([sentence, holds]) => (holds ? [] : [sentence]))
}

type Equations = Readonly<Record<string, boolean>>

function containerEquations(
  file: Uint8Array,
  photo: MotionPhoto,
  { clipBytes, gainMapBytes = 0 }: Expected,
  { itemPadding, firstItem }: ProfileTraits,
): Equations {
  const listed = photo.xmp?.items ?? []
  // In the order of the file.
  const items = firstItem === 'picture' ? listed : [...listed.slice(1), ...listed.slice(0, 1)]
  const [primary, gainMap] = items
  const clip = items.at(-1)
  const { primaryLength = Number.NaN } = photo
  const semantics = items.map(({ semantic }) => semantic).join(' ')
  // Without it, the directory does not tell how far the clip is from the picture.
  const padding = itemPadding ? (primary?.padding ?? Number.NaN) : undefined
  const length = clip?.length ?? Number.NaN
  return {
    'the directory is Primary, MotionPhoto, with a gain map between them if there is one':
      semantics === (gainMapBytes > 0 ? 'Primary GainMap MotionPhoto' : 'Primary MotionPhoto'),
    'the gain map is as long as it was': gainMapBytes === 0 || gainMap?.length === gainMapBytes,
    'the primary item has length 0, the clip padding 0':
      primary?.length === 0 && clip?.padding === (itemPadding ? 0 : undefined),
    'the primary item and the picture before the clip have the same padding':
      primary?.padding === items.at(-2)?.padding,
    'pictures + padding + length = file size':
      padding === undefined || primaryLength + gainMapBytes + padding + length === file.length,
    'file size - length = first byte of the clip': file.length - length === photo.clip?.offset,
    'the clip is as long as it was': photo.clip?.length === clipBytes,
  }
}

function samsungEquations(file: Uint8Array, photo: MotionPhoto, clipBytes: number): Equations {
  const clipStart = photo.clip?.offset ?? Number.NaN
  const block = photo.samsung?.blocks.find((candidate) => candidate.type === MOTION_PHOTO_DATA)
  const wrapper = readBoxHeader(file, clipStart + clipBytes)
  return {
    'the Samsung trailer lists its version and the clip': photo.samsung?.blocks.length === 2,
    'the Samsung entry is the clip': block?.offset === clipStart && block.length === clipBytes,
    'the block header lies before the clip': hasBytesAt(
      file,
      clipStart - CLIP_BLOCK_HEADER.length,
      CLIP_BLOCK_HEADER,
    ),
    'a free box holds all that follows the clip':
      wrapper?.type === 'free' &&
      wrapper.size === 8 + SAMSUNG_TRAILER_SIZE &&
      clipStart + clipBytes + wrapper.size === file.length,
  }
}

function huaweiEquations(file: Uint8Array, photo: MotionPhoto, clipBytes: number): Equations {
  const { clip, huawei } = photo
  return {
    "Huawei's tail leads to the clip": clip !== undefined && huawei?.clipOffset === clip.offset,
    "Huawei's tail follows the clip":
      (clip?.offset ?? Number.NaN) + clipBytes + HUAWEI_TAIL_SIZE === file.length,
    "Huawei's tail names a frame": huawei?.coverFrame !== undefined,
  }
}

/** The MPF index lists the primary image and, where there is one, the gain map, which begins right after it. */
function isTrueIndex(
  file: Uint8Array,
  { mpf, primaryLength, segments }: MotionPhoto,
  gainMapBytes: number,
): boolean {
  const [primary, other, ...more] = mpf ?? []
  const isPrimary = primary?.size === primaryLength && primary?.offset === 0
  if (gainMapBytes === 0) return isPrimary && other === undefined
  const index = segments.find(({ marker, start }) => marker === APP2 && hasBytesAt(file, start + 4, MPF_MARK))
  const at = (index?.start ?? Number.NaN) + MPF_HEADER_OFFSET + (other?.offset ?? Number.NaN)
  return isPrimary && more.length === 0 && other?.size === gainMapBytes && at === primaryLength
}

function clipToEnd(file: Uint8Array, photo: MotionPhoto): number | undefined {
  return photo.clip && file.length - photo.clip.offset
}
