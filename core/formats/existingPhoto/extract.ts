import type { FileParts, Reading, Sized } from '@lantern-room/mp4/source'
import { FormatError } from '@lantern-room/mp4/source'
import { clearExif } from '../exif/patchExif'
import { readHeic } from '../heic/heic'
import { replaceItems } from '../heic/replaceItems'
import { changeHeader, type HeaderChange, readImageHeader } from '../motionPhoto/imageHeader'
import { type Inspection, inspect } from '../motionPhoto/inspect'
import { gainMapAmong, type OtherPicture, otherPictures } from '../motionPhoto/otherPictures'
import type { MotionPhoto } from '../motionPhoto/read'
import { clearXmp, type StillPictures } from '../xmp/clearXmp'
import { readXmpPacket } from '../xmp/readXmp'
import { heicBlocks, stillTail } from './stillTail'

export type Extracted = {
  readonly parts: FileParts
  readonly mediaType: 'image/jpeg' | 'image/heic' | 'video/mp4' | 'video/quicktime'
  readonly inspection: Inspection
}

/**
 * The picture of a motion photo without its clip: the same scan data and metadata, and all that a phone has put behind it, but nothing
 * that makes a gallery look for a clip, and no marks of phone makers.
 * @throws FormatError as `inspect`; `damaged` when the picture is cut
 * @example
 * const { parts, mediaType } = await readFrom(extractStill(source), source)
 * for await (const piece of bytesOfParts(parts, source)) write(piece)
 */
export function* extractStill(file: Sized): Reading<Extracted> {
  const inspection = yield* inspect(file)
  const { photo } = inspection
  const isHeic = photo.format === 'heic'
  const parts = yield* pictureOf(file, photo, { identifier: false, rest: true })
  if (!parts) throw new FormatError('damaged', 'The picture is cut or damaged; its clip may be whole.')
  return { parts, mediaType: isHeic ? 'image/heic' : 'image/jpeg', inspection }
}

/**
 * The clip of a motion photo, as it is.
 * @throws FormatError as `inspect`; `no-video` when it is gone
 * @example
 * const { parts } = await readFrom(extractClip(source), source)
 * for await (const piece of bytesOfParts(parts, source)) write(piece)
 */
export function* extractClip(file: Sized): Reading<Extracted> {
  const inspection = yield* inspect(file)
  const { clip } = inspection.photo
  if (!clip) {
    throw new FormatError(
      'no-video',
      'The file is marked as a motion photo, but its video is gone: a chat program, an editor or an upload has cut it off.',
    )
  }
  const parts = [{ start: clip.offset, end: clip.offset + clip.length }]
  return { parts, mediaType: 'video/mp4', inspection }
}

type Still = Reading<FileParts | undefined>

/** Of what is left of a photo without its clip. */
type Kept = {
  /** Whether that by which an iPhone finds the photo's video stays. */
  readonly identifier: boolean
  /** Whether depth maps, a phone's own blocks and whatever else lies behind the picture stay; its gain map stays in any case. */
  readonly rest: boolean
}

/**
 * The picture of a photo with or without a clip, as `extractStill` has it.
 * @returns undefined when the picture is cut
 */
export function pictureOf(file: Sized, photo: MotionPhoto, kept: Kept): Still {
  return photo.format === 'heic' ? heicStill(file, photo, kept) : jpegStill(file, photo, kept)
}

function clearedExif(exif: Uint8Array | undefined, photo: MotionPhoto, { identifier }: Kept) {
  return exif && isMarkedExif(photo, identifier) ? clearExif(exif, identifier) : undefined
}

function* heicStill(file: Sized, photo: MotionPhoto, kept: Kept): Still {
  const heic = yield* readHeic(file)
  if (!heic) return undefined
  // Old Samsung phones write blocks right after the picture, each behind its type, its length and its name.
  const blocks = photo.samsung?.blocks.map(({ offset, name }) => offset - 8 - name.length) ?? []
  const end = Math.min(photo.motionPhotoBox?.boxStart ?? photo.clip?.offset ?? file.size, ...blocks)
  const xmp = heic.xmp === undefined ? undefined : clearXmp(heic.xmp)
  const parts = replaceItems(heic, { xmp, exif: clearedExif(heic.exif, photo, kept) }, end)
  const others = kept.rest ? yield* heicBlocks(file, photo) : new Uint8Array()
  return parts && others.length > 0 ? [...parts, others] : parts
}

function* jpegStill(file: Sized, photo: MotionPhoto, kept: Kept): Still {
  const { primaryLength } = photo
  if (primaryLength === undefined) return undefined
  const header = yield* readImageHeader(file, photo.segments)
  const { exif, xmp } = header.metadata
  const items = xmp === undefined ? [] : readXmpPacket(xmp).items
  const pictures = yield* otherPictures(file, photo, header, items)
  const gainMap = gainMapAmong(pictures)
  const others = kept.rest ? pictures : pictures.filter((picture) => picture === gainMap)
  const behind = pictures.at(-1)?.end ?? primaryLength
  const tail = kept.rest ? yield* stillTail(file, photo, primaryLength, behind) : undefined
  // A directory of some of what it lists would be wrong; the gain map's is written anew with the photo's.
  const said = kept.rest || !gainMap ? stillPictures(others, primaryLength) : undefined
  const image = changeHeader(header, primaryLength, {
    exif: clearedExif(exif, photo, kept),
    xmp: xmp === undefined ? undefined : clearXmp(xmp, said),
    mpf: stillIndex(photo, others, gainMap, kept),
    leftOutBefore: tail?.leftOutBefore,
  })
  return image && [...image, ...(tail?.parts ?? others)]
}

/** An index that lists more than the picture stays; a gain map right behind the picture gets one in any case. */
function stillIndex(
  { mpf, primaryLength }: MotionPhoto,
  others: readonly OtherPicture[],
  gainMap: OtherPicture | undefined,
  { rest }: Kept,
): HeaderChange['mpf'] {
  if (rest && (mpf?.length ?? 0) > 1 && others.length > 0) return false
  const isNext = gainMap?.start === primaryLength || !rest
  return gainMap && isNext ? gainMap.end - gainMap.start : 'absent'
}

/** What the directory says of the pictures that stay. */
function stillPictures(others: readonly OtherPicture[], primaryLength: number): StillPictures {
  const ends = [primaryLength, ...others.map(({ end }) => end)]
  return {
    lengths: others.map(({ start, end }) => end - start),
    paddings: ends.map((end, i) => (others[i]?.start ?? end) - end),
  }
}

function isMarkedExif({ exif }: MotionPhoto, keepsIdentifier: boolean): boolean {
  return (
    exif?.xiaomiMark !== undefined ||
    (!keepsIdentifier && exif?.contentIdentifier !== undefined) ||
    exif?.userComment?.startsWith('oplus_') === true
  )
}
