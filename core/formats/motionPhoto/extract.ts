import { ServiceError } from '#core/errors'
import { clearExif } from '../exif/patchExif'
import { readHeic } from '../heic/heic'
import { replaceItems } from '../heic/replaceItems'
import { readJpeg } from '../jpeg/jpeg'
import type { FileParts } from '../source/fileParts'
import { type ByteSpan, type Reading, within } from '../source/reading'
import { clearXmp } from '../xmp/patchXmp'
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
export function* extractStill(file: { readonly size: number }): Reading<Extracted> {
  const inspection = yield* inspect(file)
  const { photo } = inspection
  const isHeic = photo.format === 'heic'
  const parts = yield* isHeic ? heicStill(file, photo) : jpegStill(file, photo)
  if (!parts) throw new ServiceError('unprocessable', 'The picture is cut or damaged; its clip may be whole.')
  return { parts, mediaType: isHeic ? 'image/heic' : 'image/jpeg', inspection }
}

/**
 * The clip of a motion photo, as it is.
 * @throws ServiceError as `inspect`; `unprocessable` when there is none
 */
export function* extractClip(file: { readonly size: number }): Reading<Extracted> {
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

function* heicStill(file: { readonly size: number }, photo: MotionPhoto): Still {
  const heic = yield* readHeic(file)
  const end = photo.motionPhotoBox?.boxStart ?? photo.clip?.offset ?? file.size
  if (!heic) return undefined
  const exif = heic.exif && isMarkedExif(photo) ? clearExif(heic.exif) : undefined
  return replaceItems(heic, { xmp: heic.xmp === undefined ? undefined : clearXmp(heic.xmp), exif }, end)
}

function* jpegStill(file: { readonly size: number }, photo: MotionPhoto): Still {
  if (photo.primaryLength === undefined) return undefined
  const header = yield* readImageHeader(file, photo.segments)
  const { exif, xmp } = header.metadata
  const gainMap = yield* gainMapOf(file, photo, photo.primaryLength)
  const bytes = gainMap && gainMap.end - gainMap.start
  const image = changeHeader(header, photo.primaryLength, {
    exif: exif && isMarkedExif(photo) ? clearExif(exif) : undefined,
    xmp: xmp === undefined ? undefined : clearXmp(xmp, bytes === undefined ? [] : [gainMapItem(bytes)]),
    mpf: bytes ?? 'absent',
  })
  return image && gainMap ? [...image, gainMap] : image
}

function isMarkedExif({ exif }: MotionPhoto): boolean {
  return exif?.xiaomiMark !== undefined || exif?.userComment?.startsWith('oplus_') === true
}

/** Where the gain map lies that the directory lists: a whole JPEG right after the picture, or after the bytes that belong to none. */
export function* gainMapOf(
  file: { readonly size: number },
  { xmp }: MotionPhoto,
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
