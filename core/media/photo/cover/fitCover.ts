import { ServiceError } from '@lantern-room/base'
import { viewOf } from '@lantern-room/base/bytes'
import type { Size } from '@lantern-room/formats'
import { carryHeader, PixelChange, readPlainJpeg } from '@lantern-room/formats/pictures'
import { readMovie } from '@lantern-room/mp4'
import { runFfmpeg } from '#media/ffmpeg/requireSuccess'
import { isSideways, turned, uprightFilters } from '#media/pictureEdit'
import type { Ffmpeg } from '#media/ports'
import { withSegments } from './ownCover'
import { ownJpegArgs } from './ownCoverArgs'
import { type Cover, type CoverTask, readStills, stillFiles } from './takeCover'

/**
 * Makes a cover show as many pixels as a clip: it is scaled, and what another shape has more is cut off at both sides. One that
 * has them already stays as it is.
 * @returns the cover; a changed one is upright
 * @throws ServiceError `timeout`, `internal`, `unavailable`
 */
export async function fitCover(
  ffmpeg: Ffmpeg,
  still: Cover,
  clip: Uint8Array,
  { folder, timeoutMs, signal }: Omit<CoverTask, 'edit'>,
): Promise<Cover> {
  const { cover, orientation = 1 } = still
  const jpeg = readPlainJpeg(cover)
  const size = shownSize(clip)
  if (!jpeg || !size) throw new ServiceError('internal', 'The wallpaper could not be made. Try again.')
  const shown = isSideways(orientation) ? turned(jpeg.size) : jpeg.size
  if (shown.width === size.width && shown.height === size.height) return still
  const pixels = `${size.width}:${size.height}`
  const filters = [
    ...uprightFilters(orientation),
    `scale=${pixels}:force_original_aspect_ratio=increase:in_range=pc:out_range=pc`,
    `crop=${pixels}`,
  ]
  const run = { ffmpeg, timeoutMs, signal, folder }
  await runFfmpeg(run, ownJpegArgs(filters, stillFiles(folder)), jpeg.stripped)
  const made = await readStills(run)
  const { jpeg: carried, lost } = carryHeader(cover, made.cover)
  if (!still.hasOwnMetadata)
    return { ...made, cover: withSegments(made.cover, lost.length > 0 ? [] : jpeg.profile) }
  const before = still.pixels ?? PixelChange.none(jpeg.size)
  return {
    ...made,
    cover: carried,
    hasOwnMetadata: true,
    pixels: before.turned(orientation).cropped(middleOf(shown, size)).scaled(size),
    lost: [...(still.lost ?? []), ...lost],
  }
}

/** The part of a picture that has the shape of another. */
function middleOf(picture: Size, shape: Size) {
  const scale = Math.max(shape.width / picture.width, shape.height / picture.height)
  const [width, height] = [shape.width / scale, shape.height / scale]
  return { width, height, x: (picture.width - width) / 2, y: (picture.height - height) / 2 }
}

/** Pixels of a clip as it is shown: its matrix may turn it. */
function shownSize(clip: Uint8Array): Size | undefined {
  const video = readMovie(clip).movie?.tracks.find(({ kind }) => kind === 'video')
  if (!video) return undefined
  const { matrix, width, height } = video.display
  const size = { width: Math.round(width), height: Math.round(height) }
  return viewOf(matrix).getInt32(0) === 0 ? turned(size) : size
}
