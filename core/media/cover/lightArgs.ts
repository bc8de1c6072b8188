import type { Size } from '#core/formats/source/facts'
import { plainInput, rawInput, untrustedInput, untrustedMovie } from '../ffmpeg/ffmpegInput'
import { toLinearLight } from '../ffmpeg/filters'
import { constantRateOf, openedSound } from '../ffmpeg/unindexed'
import { seekTries } from '../frames'
import { editFilters, type PictureEdit } from '../pictureEdit'
import type { HdrTransfer, OriginalTraits } from '../traits'
import { originalPictures } from './coverArgs'

/** A picture of light, in planes of floats on standard output. */
export type LightPicture = {
  /** After the edit. */
  readonly size: Size
  readonly transfer: HdrTransfer
  readonly edit: PictureEdit
}

/**
 * From the original, as `coverTries` takes its picture.
 * @param frame of the whole original, at 30 a second from its beginning
 * @returns alternatives, to be tried in this order while `isTooLate` is true
 */
export function lightTries(
  original: string,
  traits: OriginalTraits,
  frame: number,
  picture: LightPicture,
): string[][] {
  const chain = lightChain(traits, frame, picture)
  const graph = `${originalPictures(traits)};[picture]${chain}`
  return (traits.isSeekable ? seekTries(frame) : [0]).map((seekSeconds) => [
    ...untrustedInput(original, { seekSeconds, fromKeyFrame: seekSeconds > 0, decoder: traits.decoder }),
    ...[...lightOutput(graph), ...openedSound(traits)],
  ])
}

/** From a movie on standard input that has only the pictures around it. @param frame of that movie */
export function pipedLightArgs(traits: OriginalTraits, frame: number, picture: LightPicture): string[] {
  return [...untrustedMovie(), ...lightOutput(`[0:v:0]${lightChain(traits, frame, picture)}`)]
}

function lightChain(traits: OriginalTraits, frame: number, picture: LightPicture): string {
  const { size, transfer, edit } = picture
  const timing = `${constantRateOf(traits)},tpad=stop_mode=clone:stop_duration=1,trim=start_frame=${frame},setpts=PTS-STARTPTS`
  // Cut at full size, so that each pixel of the map lies where it does in the cover.
  const edited = editFilters(edit, traits.size, traits.size)
  return [timing, ...edited, toLinearLight(traits, size, transfer)].join(',')
}

function lightOutput(graph: string): string[] {
  return [
    ...['-filter_complex', `${graph}[light]`, '-map', '[light]', '-frames:v', '1'],
    ...['-pix_fmt', 'gbrpf32le', '-f', 'rawvideo', 'pipe:1'],
  ]
}

/** A finished cover as RGB of 8 bits on standard output, smaller. */
export function renditionArgs(cover: string, { width, height }: Size): string[] {
  return [
    ...plainInput('mjpeg', [], cover),
    ...['-vf', `scale=${width}:${height}:flags=bicubic:in_range=pc:out_range=pc`],
    ...['-frames:v', '1', '-pix_fmt', 'rgb24', '-f', 'rawvideo', 'pipe:1'],
  ]
}

const GAIN_MAP_QUALITY = 3

/** A gain map's JPEG on standard output, from its values on standard input. */
export function gainMapJpegArgs(size: Size): string[] {
  return [
    ...rawInput('gray', size),
    ...['-vf', 'scale=in_range=pc:out_range=pc,format=yuvj420p', '-frames:v', '1', '-c:v', 'mjpeg'],
    ...['-q:v', String(GAIN_MAP_QUALITY), '-f', 'mjpeg', 'pipe:1'],
  ]
}
