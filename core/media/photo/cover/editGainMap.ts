import type { Size } from '@lantern-room/formats'
import { carryMapSegments } from '@lantern-room/formats/gainMap'
import { stripJpeg, walkJpeg } from '@lantern-room/formats/pictures'
import type { FfmpegRun } from '#media/ffmpeg/requireSuccess'
import { cropRect, editFilters, isSideways, turned, uprightFilters } from '#media/pictureEdit'
import { JPEG_INPUT } from './ownCoverArgs'
import type { OwnCoverTask } from './takeCover'

const MAP_FILE = 'edited-map.jpg'
const MAP_QUALITY = 2

/** The picture to which a map belongs, as it is stored. */
type MappedPicture = { readonly size: Size; readonly orientation: number }

/**
 * Crops and turns a gain map as its picture is, so that each of its pixels lies where it did. What it says of itself stays.
 * @param map JPEG
 * @returns undefined when it cannot be decoded
 */
export async function editedGainMap(
  { ffmpeg, timeoutMs, signal, folder, edit, source }: Pick<FfmpegRun, 'ffmpeg'> & OwnCoverTask,
  map: Uint8Array,
  { size, orientation }: MappedPicture,
): Promise<Uint8Array | undefined> {
  const jpeg = walkJpeg(map)
  const plain = stripJpeg(map, { keepsProfile: false })
  if (!jpeg || !plain) return undefined
  const isSide = isSideways(orientation)
  const shown = isSide ? turned(size) : size
  const shownMap = isSide ? turned(plain.frame) : plain.frame
  const cut = edit.crop ? cropRect(edit.crop, source, shown) : shown
  const small = {
    width: Math.ceil((cut.width * shownMap.width) / shown.width),
    height: Math.ceil((cut.height * shownMap.height) / shown.height),
  }
  const { width, height } = edit.rotate % 180 === 0 ? small : turned(small)
  const format = plain.frame.components.length === 1 ? 'gray' : 'yuv444p'
  const full = 'in_range=pc:out_range=pc'
  const filters = [
    ...[`scale=${full}`, `format=${format}`, ...uprightFilters(orientation)],
    // At the picture's size, whose crop may begin between two pixels of the map.
    `scale=${shown.width}:${shown.height}:flags=bilinear:${full}`,
    ...editFilters(edit, source, shown),
    `scale=${width}:${height}:flags=area:${full}`,
    ...['setsar=1', `format=${format === 'gray' ? 'yuvj420p' : 'yuvj444p'}`],
  ]
  const path = folder.path(MAP_FILE)
  const output = ['-frames:v', '1', '-c:v', 'mjpeg', '-q:v', String(MAP_QUALITY), '-f', 'mjpeg', '-y', path]
  const args = [...JPEG_INPUT, '-vf', filters.join(','), ...output]
  const { exitCode } = await ffmpeg.run({ args, stdin: plain.bytes, timeoutMs, signal })
  const made = exitCode === 0 ? stripJpeg(await folder.read(MAP_FILE)) : undefined
  if (!made) return undefined
  return carryMapSegments(map, made.bytes)
}
