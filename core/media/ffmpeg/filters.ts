import type { Size } from '@lantern-room/formats'
import { FPS } from '../frames'
import type { HdrTransfer, PictureTraits } from '../traits'
import { isEven, join, linearLight, toneMap } from './hdr'

/**
 * How long the pictures of an animated image are shown: a delay of 10 ms or less counts as 100 ms, as in browsers.
 * ffmpeg 5 does this itself when it reads a GIF, ffmpeg 7 no longer does. Doing it twice changes nothing.
 * @see docs/decisions.md, D36
 */

const SHORT_SECONDS = 0.015
const INSTEAD_SECONDS = 0.1

export function delayAsShown(seconds: number): number {
  return seconds < SHORT_SECONDS ? INSTEAD_SECONDS : seconds
}

const DELAY = 'PTS-PREV_INPTS'

/** A filter that sets the times at which the pictures are shown. */
const TIMES_AS_SHOWN = `setpts='if(eq(N,0),PTS,PREV_OUTPTS+if(lt((${DELAY})*TB,${SHORT_SECONDS}),${INSTEAD_SECONDS}/TB,${DELAY}))'`

/**
 * A constant rate of 30 pictures a second from time 0 on: a late first picture is shown from 0, and in gaps or at variable
 * rates the latest picture that has started is repeated.
 */
export const CONSTANT_RATE = `fps=${FPS}:start_time=0`

/** Repeats the last picture without end; the output limits the number of frames. */
export const HOLD_LAST = 'tpad=stop=-1:stop_mode=clone'

/** The pictures of an animated image with their display times, the last one repeated without end. */
export const CONSTANT_RATE_OF_IMAGE = `${TIMES_AS_SHOWN},${CONSTANT_RATE},${HOLD_LAST}`

/**
 * A chain from any decoded picture to `yuv420p` in BT.709, limited range, of the given size.
 * High dynamic range is mapped after the downscale, where it costs least.
 * @param shown size of the stream's first picture. Pictures of another shape are fitted into it, with black bars.
 */
export function toPreviewPicture(traits: PictureTraits, size: Size, shown = size): string {
  return join(previewColours(traits, size, shown), ...barsAround(size))
}

function previewColours(traits: PictureTraits, size: Size, shown: Size): string {
  const fitted = scaleToFit(size, shown)
  if (traits.hdrTransfer) return fromHdr(traits, size, traits.hdrTransfer, fitted)
  if (traits.primaries !== 'bt709')
    return join(fromWideGamut(traits, size, 'm=bt709:r=tv', fitted), 'format=yuv420p')
  return join(
    deinterlace(traits),
    `${scaleToFit(size, shown, CHROMA_BILINEAR)}:in_color_matrix=${traits.matrix}:out_color_matrix=bt709:out_range=tv`,
    'format=yuv420p',
  )
}

/**
 * To follow a `scale` to full range. Not `yuvj420p`: it means the same for a picture from a tagged source, but makes ffmpeg 7
 * leave the values in limited range.
 */
const JPEG_FORMAT = 'format=yuv420p'

/** Keeps a picture in full range, whatever its tags say. */
const FULL_RANGE = 'scale=in_range=pc:out_range=pc'

/**
 * A chain from any decoded picture to what a JPEG holds: full range, BT.601 matrix, 4:2:0.
 * @param size of the stream's first picture as it is shown, which the result has, too
 */
export function toJpegPicture(traits: PictureTraits, size: Size): string {
  return join(jpegPicture(traits, size), ...barsAround(size))
}

function jpegPicture(traits: PictureTraits, size: Size): string {
  const fitted = scaleToFit(size, size)
  if (traits.hdrTransfer) return join(fromHdr(traits, size, traits.hdrTransfer, fitted), jpegColours('bt709'))
  if (traits.primaries !== 'bt709')
    return join(fromWideGamut(traits, size, 'm=170m:r=pc', fitted), FULL_RANGE, JPEG_FORMAT)
  return join(
    deinterlace(traits),
    `${fitted}:in_color_matrix=${traits.matrix}:out_color_matrix=bt601:out_range=pc`,
    JPEG_FORMAT,
  )
}

/** A picture of our own preview or clip as a JPEG holds it. */
export function previewToJpegPicture(maxWidth: number): string {
  return join(`scale=w='min(${maxWidth},iw)':h=-1:flags=bicubic`, jpegColours('bt709'))
}

/**
 * A filter graph that lays a picture with transparency on white.
 * @param input label of the picture
 * @param timing filters before the picture is touched, such as `CONSTANT_RATE`
 * @param size of the result; undefined for the picture's own
 */
export function onWhite(
  input: string,
  timing: string,
  size: Size | undefined,
  traits: Pick<PictureTraits, 'matrix'>,
  finish: string,
): string {
  const { width, height } = size ?? { width: 'iw', height: 'ih' }
  const scaled = `scale=${width}:${height}:flags=bicubic:in_color_matrix=${traits.matrix},format=rgba,setsar=1`
  return (
    `${input}${timing},${scaled},split[shape][under];[under]lutrgb=r=255:g=255:b=255:a=255,format=gbrp[white];` +
    `[white][shape]overlay=format=gbrp,${finish}`
  )
}

/** RGB without transparency, to the preview's colours. */
export const RGB_TO_PREVIEW = 'scale=out_color_matrix=bt709:out_range=tv,format=yuv420p,setsar=1'

/** RGB without transparency, to a JPEG's colours. */
export const RGB_TO_JPEG = `scale=out_color_matrix=bt601:out_range=pc,${JPEG_FORMAT},setsar=1`

/** Bicubic for luma, bilinear for chroma: less work, and in 4:2:0 the difference cannot be seen. */
const CHROMA_BILINEAR = 'bicublin'

/** Where it is absurd, the aspect of pixels is ignored, as for the first picture (`shownSize`). */
const PIXEL_ASPECT = 'if(between(sar,0.1,10),sar,1)'

/** To the given size; a picture of another shape than `shown` keeps its shape, and is at most as large. */
function scaleToFit({ width, height }: Size, shown: Size, flags = 'bicubic'): string {
  const aspect = `iw*${PIXEL_ASPECT}/ih`
  const sameShape = `lt(abs(${aspect}*${shown.height}-${shown.width}),${(1.5 + shown.width / 100).toFixed(2)})`
  const inside = (side: number, other: string) => `max(2,2*floor((min(${side},${other})+0.5)/2))`
  const w = `if(${sameShape},${width},${inside(width, `${height}*${aspect}`)})`
  const h = `if(${sameShape},${height},${inside(height, `${width}/(${aspect})`)})`
  return `scale=w='${w}':h='${h}':flags=${flags}`
}

function barsAround(size: Size): string[] {
  const { width, height } = size
  // Where colour has half the size, only even sides can be padded.
  const exact = isEven(size) ? [] : [`crop=${width}:${height}:0:0:exact=1`]
  const pad = `pad=${width + (width % 2)}:${height + (height % 2)}:(ow-iw)/2:(oh-ih)/2`
  return [pad, ...exact, 'setsar=1']
}

/** The names of `matrix` in zscale. */
const ZSCALE_MATRIX = { bt709: 'bt709', bt601: '170m', bt2020: '2020_ncl' } as const

/**
 * Standard range in the primaries of Display P3 or BT.2020, to those of BT.709. What lies outside of them is clipped as RGB,
 * because clipping YUV would change the hue. Both sides have the same curve (BT.1886 in the library: light as it is
 * displayed).
 * @param colours matrix and range of the result in the words of zscale, which converts more exactly than `scale`
 * @param scaled a `scale`
 */
function fromWideGamut(traits: PictureTraits, size: Size, colours: string, scaled: string): string {
  const matrix = `in_color_matrix=${traits.matrix}:out_color_matrix=${traits.matrix}`
  const from = `pin=${traits.primaries}:tin=bt709:min=${ZSCALE_MATRIX[traits.matrix]}:rin=tv`
  return join(
    deinterlace(traits),
    `${scaled}:${matrix}:out_range=tv`,
    isEven(size) ? undefined : 'format=yuv444p10le',
    `zscale=${from}:p=bt709:t=bt709:m=gbr:r=pc`,
    'format=gbrp',
    `zscale=${colours}`,
    isEven(size) ? 'format=yuv420p' : 'format=yuv444p',
  )
}

/** From version 8 on, ffmpeg would write into an MP4 what the original says of its mastering display. */
const WITHOUT_MASTERING =
  'sidedata=mode=delete:type=MASTERING_DISPLAY_METADATA,sidedata=mode=delete:type=CONTENT_LIGHT_LEVEL'

/** To BT.709 in limited range. @param scaled a `scale` */
function fromHdr(traits: PictureTraits, size: Size, transfer: HdrTransfer, scaled: string): string {
  return join(deinterlace(traits), asBt2020(scaled), toneMap(transfer, size), WITHOUT_MASTERING)
}

function asBt2020(scaled: string): string {
  return `${scaled}:in_color_matrix=bt2020:out_color_matrix=bt2020`
}

/** From limited range and a matrix to what a JPEG holds. */
export function jpegColours(matrix: string): string {
  return `scale=in_color_matrix=${matrix}:out_color_matrix=bt601:out_range=pc,${JPEG_FORMAT}`
}

function deinterlace({ isInterlaced }: PictureTraits): string | undefined {
  return isInterlaced ? 'bwdif=mode=send_frame:deint=interlaced' : undefined
}

/** A chain from a decoded picture of high dynamic range to its light, in planes of floats (G, B, R), of the given size. */
export function toLinearLight(traits: PictureTraits, size: Size, transfer: HdrTransfer): string {
  const scaled = `scale=${size.width}:${size.height}:flags=bicubic`
  return join(deinterlace(traits), asBt2020(scaled), linearLight(transfer, size))
}
