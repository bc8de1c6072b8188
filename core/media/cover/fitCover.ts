import { viewOf } from '#core/bytes'
import { ServiceError } from '#core/errors'
import { readPlainJpeg } from '#core/formats/exif/plainJpeg'
import type { Size } from '#core/formats/jpeg/jpegFrame'
import { readMovie } from '#core/formats/mp4/movie'
import { runFfmpeg } from '../ffmpeg/requireSuccess'
import { isSideways, turned, uprightFilters } from '../pictureEdit'
import type { Ffmpeg } from '../ports'
import { withSegments } from './ownCover'
import { ownJpegArgs } from './ownCoverArgs'
import { type Cover, type CoverTask, readStills, stillFiles } from './takeCover'

/**
 * Makes a cover show as many pixels as a clip: it is scaled, and what another shape has more is cut off at both sides. One that
 * has them already stays as it is.
 * @returns the cover; a changed one is upright, without the metadata that it had
 * @throws ServiceError `timeout`, `internal`, `unavailable`
 */
export async function fitCover(
  ffmpeg: Ffmpeg,
  still: Cover,
  clip: Uint8Array,
  task: Omit<CoverTask, 'edit'>,
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
  await runFfmpeg({ ffmpeg, ...task }, ownJpegArgs(filters, stillFiles(task.folder)), jpeg.stripped)
  const made = await readStills({ ffmpeg, ...task })
  return { ...made, cover: withSegments(made.cover, jpeg.profile) }
}

/** Pixels of a clip as it is shown: its matrix may turn it. */
function shownSize(clip: Uint8Array): Size | undefined {
  const video = readMovie(clip).movie?.tracks.find(({ kind }) => kind === 'video')
  if (!video) return undefined
  const { matrix, width, height } = video.display
  const size = { width: Math.round(width), height: Math.round(height) }
  return viewOf(matrix).getInt32(0) === 0 ? turned(size) : size
}
