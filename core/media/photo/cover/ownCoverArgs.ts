import type { Size } from '@lantern-room/formats'
import { jpegOutput } from '#media/ffmpeg/encodeArgs'
import { MAX_PIXELS, plainInput } from '#media/ffmpeg/ffmpegInput'
import { onWhite, RGB_TO_JPEG } from '#media/ffmpeg/filters'
import {
  bothStills,
  COVER_QUALITY,
  fitInto,
  type StillFiles,
  THUMBNAIL_QUALITY,
  THUMBNAIL_SIDE,
} from './coverArgs'

/** Arguments that make cover and thumbnail of a finished picture on standard input. */

/** Damage is an error: a picture of which half is grey is of no use. */
export const STRICT = ['-err_detect', 'explode', '-xerror'] as const

/** A JPEG on standard input. */
export const JPEG_INPUT = plainInput('jpeg_pipe', [...STRICT, '-threads', '1'])

/** From any JPEG to what phones read: full range, BT.601, 4:2:0. */
const TO_COMMON_JPEG = 'scale=in_range=pc:out_range=pc:out_color_matrix=bt601,format=yuv420p,setsar=1'

/** A PNG or WebP as a JPEG, on white. Its EXIF, by which newer versions of ffmpeg turn it, is carried over. */
export function toJpegArgs(format: 'png_pipe' | 'webp_pipe', output: string): string[] {
  return [
    ...plainInput(format, ['-noautorotate', '-max_pixels', String(MAX_PIXELS), ...STRICT]),
    ...['-filter_complex', onWhite('[0:v:0]', 'setpts=0', undefined, { matrix: 'bt601' }, RGB_TO_JPEG)],
    ...jpegOutput(output, COVER_QUALITY),
  ]
}

/** In memory a JPEG needs a byte and a half for each. Phones with 50 million are common. */
export const MAX_JPEG_PIXELS = 64_000_000

/** A JPEG's blocks can be decoded at an eighth of their size. */
const MAX_HALVINGS = 3

/**
 * Only the thumbnail, turned as the picture is stored. All codes of the picture are read, so that damage is an error, but no more pixels made
 * of them than the thumbnail needs.
 */
export function ownThumbnailArgs({ width, height }: Size, output: string): string[] {
  const halvings = Math.max(0, Math.floor(Math.log2(Math.max(width, height) / THUMBNAIL_SIDE)))
  const reduced = ['-lowres', String(Math.min(MAX_HALVINGS, halvings))]
  const small = `${fitInto(THUMBNAIL_SIDE)},${TO_COMMON_JPEG}`
  return [...reduced, ...JPEG_INPUT, '-vf', small, ...jpegOutput(output, THUMBNAIL_QUALITY)]
}

/** A JPEG with other values. @param changes filters for them */
export function changedJpegArgs(changes: readonly string[], output: string): string[] {
  return [...JPEG_INPUT, '-vf', [TO_COMMON_JPEG, ...changes].join(','), ...jpegOutput(output, COVER_QUALITY)]
}

/** @param filters that are applied to the picture as it is stored */
export function ownJpegArgs(filters: readonly string[], files: StillFiles): string[] {
  const edited = [TO_COMMON_JPEG, ...filters].join(',')
  return [...JPEG_INPUT, ...bothStills(`[0:v:0]${edited}`, files)]
}
