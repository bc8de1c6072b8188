import { ServiceError } from '#core/errors'
import { clearExif } from '../exif/patchExif'
import { readHeic } from '../heic/heic'
import { replaceItems } from '../heic/replaceItems'
import { readJpeg } from '../jpeg/jpeg'
import type { FileParts } from '../source/fileParts'
import { type ByteSpan, type Reading, type Sized, within } from '../source/reading'
import { clearXmp } from '../xmp/patchXmp'
import { readXmpPacket } from '../xmp/readXmp'
import { gainMapItem } from '../xmp/xmp'
import { changeHeader, readImageHeader } from './imageHeader'
import { type Inspection, inspect } from './inspect'
import type { MotionPhoto } from './read'

export type Extracted = {
  readonly parts: FileParts
  readonly mediaType: 'image/jpeg' | 'image/heic' | 'video/mp4' | 'video/quicktime'
  readonly inspection: Inspection
}

/**
 * The picture of a motion photo without its clip: the same scan data and metadata, its gain map, but nothing that makes a
 * gallery look for a clip, and no marks of phone makers.
 * @throws ServiceError as `inspect`; `unprocessable` when the picture is cut
 */
export function* extractStill(file: Sized): Reading<Extracted> {
  const inspection = yield* inspect(file)
  const { photo } = inspection
  const isHeic = photo.format === 'heic'
  const parts = yield* pictureOf(file, photo, false)
  if (!parts) throw new ServiceError('unprocessable', 'The picture is cut or damaged; its clip may be whole.')
  return { parts, mediaType: isHeic ? 'image/heic' : 'image/jpeg', inspection }
}

/**
 * The clip of a motion photo, as it is.
 * @throws ServiceError as `inspect`; `unprocessable` when there is none
 */
export function* extractClip(file: Sized): Reading<Extracted> {
  const inspection = yield* inspect(file)
  const { clip } = inspection.photo
  if (!clip) {
    throw new ServiceError(
      'unprocessable',
      'The file is marked as a motion photo, but its video is gone: a chat program, an editor or an upload has cut it off.',
    )
  }
  const parts = [{ start: clip.offset, end: clip.offset + clip.length }]
  return { parts, mediaType: 'video/mp4', inspection }
}

type Still = Reading<FileParts | undefined>

/**
 * The picture of a photo with or without a clip, as `extractStill` has it.
 * @param keepsIdentifier whether that by which an iPhone finds the photo's video stays
 * @returns undefined when the picture is cut
 */
export function pictureOf(file: Sized, photo: MotionPhoto, keepsIdentifier: boolean): Still {
  const clearedExif = (exif: Uint8Array | undefined) =>
    exif && isMarkedExif(photo, keepsIdentifier) ? clearExif(exif, keepsIdentifier) : undefined
  return photo.format === 'heic' ? heicStill(file, photo, clearedExif) : jpegStill(file, photo, clearedExif)
}

type ClearedExif = (exif: Uint8Array | undefined) => Uint8Array | undefined

function* heicStill(file: Sized, photo: MotionPhoto, clearedExif: ClearedExif): Still {
  const heic = yield* readHeic(file)
  if (!heic) return undefined
  // Old Samsung phones write blocks right after the picture, each behind its type, its length and its name.
  const blocks = photo.samsung?.blocks.map(({ offset, name }) => offset - 8 - name.length) ?? []
  const end = Math.min(photo.motionPhotoBox?.boxStart ?? photo.clip?.offset ?? file.size, ...blocks)
  return replaceItems(
    heic,
    { xmp: heic.xmp === undefined ? undefined : clearXmp(heic.xmp), exif: clearedExif(heic.exif) },
    end,
  )
}

function* jpegStill(file: Sized, photo: MotionPhoto, clearedExif: ClearedExif): Still {
  if (photo.primaryLength === undefined) return undefined
  const header = yield* readImageHeader(file, photo.segments)
  const { exif, xmp } = header.metadata
  const gainMap = yield* gainMapOf(file, withPacket(photo, xmp), photo.primaryLength)
  const bytes = gainMap && gainMap.end - gainMap.start
  const other = gainMap ?? (yield* indexedPicture(file, photo, photo.primaryLength))
  const others = bytes === undefined ? [] : [gainMapItem(bytes)]
  const image = changeHeader(header, photo.primaryLength, {
    exif: clearedExif(exif),
    // What else the index lists may be a gain map, too: its parameters stay.
    xmp: xmp === undefined ? undefined : clearXmp(xmp, other && !gainMap ? undefined : others),
    mpf: bytes ?? (other ? false : 'absent'),
  })
  return image && other ? [...image, other] : image
}

/** The fields of a packet that says nothing of a clip, too. */
function withPacket({ xmp }: MotionPhoto, packet: string | undefined): Pick<MotionPhoto, 'xmp'> {
  return { xmp: xmp ?? (packet === undefined ? undefined : readXmpPacket(packet)) }
}

function isMarkedExif({ exif }: MotionPhoto, keepsIdentifier: boolean): boolean {
  return (
    exif?.xiaomiMark !== undefined ||
    (!keepsIdentifier && exif?.contentIdentifier !== undefined) ||
    exif?.userComment?.startsWith('oplus_') === true
  )
}

/** The second of two pictures that the MPF index lists: a whole JPEG right after the first one. */
function* indexedPicture(file: Sized, { mpf }: MotionPhoto, start: number): Reading<ByteSpan | undefined> {
  const [, second, ...others] = mpf ?? []
  if (!second || others.length > 0 || start + second.size > file.size) return undefined
  const jpeg = yield* within(readJpeg({ size: second.size }), start)
  return jpeg?.end === second.size ? { start, end: start + second.size } : undefined
}

/** Where the gain map lies that the directory lists: a whole JPEG right after the picture, or after the bytes that belong to none. */
export function* gainMapOf(
  file: Sized,
  { xmp }: Pick<MotionPhoto, 'xmp'>,
  primaryLength: number,
): Reading<ByteSpan | undefined> {
  const [primary, ...others] = xmp?.items ?? []
  const length = others.find(({ semantic }) => semantic === 'GainMap')?.length ?? 0
  for (const start of [primaryLength, primaryLength + (primary?.padding ?? 0)]) {
    const size = Math.min(length, file.size - start)
    const jpeg = size > 0 ? yield* within(readJpeg({ size }), start) : undefined
    if (jpeg?.end !== undefined) return { start, end: start + jpeg.end }
  }
  return undefined
}
