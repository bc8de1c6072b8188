import type { HeicPicture } from '@lantern-room/formats/pictures'
import { type HeicStep, shownSize } from '@lantern-room/formats/pictures'
import { jpegOutput } from '#media/ffmpeg/encodeArgs'
import { plainInput } from '#media/ffmpeg/ffmpegInput'
import { jpegColours } from '#media/ffmpeg/filters'
import { join, toneMap } from '#media/ffmpeg/hdr'
import { COVER_QUALITY } from './coverArgs'
import type { ShownColours } from './heicColours'
import { MAX_JPEG_PIXELS, STRICT } from './ownCoverArgs'

/** Decoders work on whole blocks of up to 64 pixels. */
const BLOCK = 64

/** Whether all tiles together have more pixels than a cover may have. */
export function isTooLarge({ tile, columns, rows }: HeicPicture): boolean {
  return columns * tile.width * rows * tile.height > MAX_JPEG_PIXELS
}

/**
 * The picture of a HEIC as a JPEG: ffmpeg decodes its tiles as if they were pictures of a video, and puts them together. No
 * version needs to know the format for it.
 * @param colours of the picture, as `shownColours` gives them
 * @param output undefined: it is decoded only
 * @param changes filters for the finished picture
 */
export function heicToJpegArgs(
  picture: HeicPicture,
  colours: ShownColours,
  output: string | undefined,
  changes: readonly string[] = [],
): string[] {
  return [
    ...heicInput(picture, colours, changes),
    ...(output === undefined ? ['-f', 'null', '-'] : jpegOutput(output, COVER_QUALITY)),
  ]
}

/** As `heicToJpegArgs`, for any output. */
export function heicInput(
  picture: HeicPicture,
  colours: ShownColours,
  changes: readonly string[] = [],
): string[] {
  const { tile } = picture
  const tilePixels = (tile.width + BLOCK) * (tile.height + BLOCK)
  const filters = join(shape(picture, colours), toJpeg(picture, colours), 'setsar=1', ...changes)
  return [
    ...plainInput('hevc', ['-max_pixels', String(tilePixels), ...STRICT, '-threads', '1']),
    ...['-filter_complex', `[0:v:0]${filters}`],
  ]
}

/** Puts the tiles together, crops and turns. */
function shape(picture: HeicPicture, { range, isRgb }: ShownColours): string {
  const { columns, rows, size, steps } = picture
  return join(
    isRgb ? join(RGB_PLANES, range === 'tv' ? TO_FULL_RANGE : undefined) : undefined,
    !isRgb && movesColour(picture) ? fullColour(range) : undefined,
    columns * rows > 1 ? `tile=${columns}x${rows}` : undefined,
    `crop=${size.width}:${size.height}:0:0:exact=1`,
    ...steps.flatMap(filtersOf),
  )
}

/** The planes of 4:4:4 are those of RGB, which the tiles themselves may say or not. */
const RGB_PLANES = 'format=gbrp|yuv444p,mergeplanes=0x000102:gbrp'

/** Of RGB: ffmpeg takes all as full. */
const TO_FULL_RANGE = `lutrgb=${['r', 'g', 'b'].map((channel) => `${channel}=(val-maxval*16/255)*255/219`).join(':')}`

function fullColour(range: ShownColours['range']): string {
  const deep = 'yuv444p10|yuv444p12'
  return range
    ? `scale=in_range=${range}:out_range=${range},format=yuv444p|${deep}`
    : `format=yuv444p|yuvj444p|${deep}`
}

/**
 * Whether a step would move colour against brightness where colour has half the size: a crop from an odd place, a turn of odd sides,
 * tiles of odd sides side by side.
 */
function movesColour({ columns, rows, tile, size, steps }: HeicPicture): boolean {
  if (columns * rows > 1 && isOdd(tile.width, tile.height)) return true
  return steps.some((step, i) => {
    if (typeof step !== 'string') return isOdd(step.x, step.y)
    const { width, height } = shownSize(size, steps.slice(0, i))
    return isOdd(width, height)
  })
}

function isOdd(...lengths: readonly number[]): boolean {
  return lengths.some((length) => length % 2 === 1)
}

function filtersOf(step: HeicStep): readonly string[] {
  if (typeof step === 'string') return TURNS[step]
  return [`crop=${step.width}:${step.height}:${step.x}:${step.y}:exact=1`]
}

const TURNS: Readonly<Record<Extract<HeicStep, string>, readonly string[]>> = {
  left: ['transpose=cclock'],
  right: ['transpose=clock'],
  half: ['hflip', 'vflip'],
  mirror: ['hflip'],
  'upside-down': ['vflip'],
}

function toJpeg({ size, steps }: HeicPicture, { range, matrix, hdr }: ShownColours): string {
  const from = `${range ? `in_range=${range}:` : ''}${matrix ? `in_color_matrix=${matrix}:` : ''}`
  if (!hdr) return `scale=${from}out_range=pc:out_color_matrix=bt601,format=yuv420p`
  return join(
    `scale=${from}out_range=tv:out_color_matrix=bt2020`,
    toneMap(hdr.transfer, shownSize(size, steps), hdr.primaries),
    jpegColours('bt709'),
  )
}
