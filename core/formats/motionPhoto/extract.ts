import { ServiceError } from '#core/errors'
import { patchExif } from '../exif/patchExif'
import type { FileParts } from '../source/fileParts'
import type { Reading } from '../source/reading'
import { clearXmp } from '../xmp/patchXmp'
import { changeHeader, type ImageHeader, readImageHeader } from './imageHeader'
import { type Inspection, inspect } from './inspect'
import type { MotionPhoto } from './read'

export type Extracted = {
  readonly parts: FileParts
  readonly mediaType: 'image/jpeg' | 'image/heic' | 'video/mp4' | 'video/quicktime'
  readonly inspection: Inspection
}

/**
 * The picture of a motion photo without its clip: the same scan data and metadata, but nothing that makes a gallery look
 * for a clip. In a HEIC, whose boxes cannot move, the marks in XMP stay.
 * @throws ServiceError as `inspect`; `unprocessable` when the picture is cut
 */
export function* extractStill(file: { readonly size: number }): Reading<Extracted> {
  const inspection = yield* inspect(file)
  const { photo } = inspection
  if (photo.motionPhotoBox) {
    return { parts: [{ start: 0, end: photo.motionPhotoBox.boxStart }], mediaType: 'image/heic', inspection }
  }
  const header = yield* readImageHeader(file, photo.segments)
  const parts =
    photo.primaryLength === undefined ? undefined : withoutMarks(header, photo, photo.primaryLength)
  if (!parts) throw new ServiceError('unprocessable', 'The picture is cut or damaged; its clip may be whole.')
  return { parts, mediaType: 'image/jpeg', inspection }
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

function withoutMarks(header: ImageHeader, photo: MotionPhoto, primaryLength: number): FileParts | undefined {
  const { exif, xmp } = header.metadata
  const comment = photo.exif?.userComment
  const isMarked = photo.exif?.xiaomiMark !== undefined || comment?.startsWith('oplus_')
  const emptied = comment?.startsWith('oplus_') ? 'oplus_0' : undefined
  return changeHeader(header, primaryLength, {
    exif: exif && isMarked ? patchExif(exif, { isXiaomi: false, comment: emptied }) : undefined,
    xmp: xmp === undefined ? undefined : clearXmp(xmp),
    mpf: false,
  })
}
