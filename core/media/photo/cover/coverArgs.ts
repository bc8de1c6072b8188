import type { Size } from '@lantern-room/formats'
import { jpegOutput } from '#media/ffmpeg/encodeArgs'
import { ownInput, plainInput, rawInput, untrustedInput, untrustedMovie } from '#media/ffmpeg/ffmpegInput'
import {
  CONSTANT_RATE_OF_IMAGE,
  onWhite,
  previewToJpegPicture,
  RGB_TO_JPEG,
  toJpegPicture,
} from '#media/ffmpeg/filters'
import { join } from '#media/ffmpeg/hdr'
import { constantRateOf, fromKeyFrame, openedSound } from '#media/ffmpeg/unindexed'
import { FPS, seekToFrame, seekTries } from '#media/frames'
import { editFilters, type PictureEdit } from '#media/pictureEdit'
import type { OriginalTraits } from '#media/traits'

/** Where the two stills of a motion photo are written. */
export type StillFiles = { readonly cover: string; readonly thumbnail: string }

/** Longest side of the thumbnail inside the EXIF, in pixels. */
export const THUMBNAIL_SIDE = 320
export const COVER_QUALITY = 2
export const THUMBNAIL_QUALITY = 5

/**
 * Arguments that take a frame of the preview out of the original, at its full size, as cover and thumbnail. It goes through the same
 * `fps` filter as the preview, so it is the picture that the player showed.
 * In a video ffmpeg seeks to the key frame before the moment, if possible. The timestamps stay those of the file, so that
 * the same picture is found as when the preview was made. An animated image is decoded from its start.
 * @param frame of the whole original, at 30 a second from its beginning
 * @returns alternatives, to be tried in this order while `isTooLate` is true
 */
export function coverTries(
  original: string,
  traits: OriginalTraits,
  frame: number,
  files: StillFiles,
  edit: PictureEdit,
): string[][] {
  const graph = coverGraph('[picture]', traits, frame, edit)
  return originalTries(original, traits, frame, (pictures) => bothStills(`${pictures};${graph}`, files))
}

/**
 * As `coverTries`, for any output.
 * @param output gets the beginning of its graph: the pictures as `[picture]`, the first of which is reported for `isTooLate`
 */
export function originalTries(
  original: string,
  traits: OriginalTraits,
  frame: number,
  output: (pictures: string) => readonly string[],
): string[][] {
  const { kind, stream, decoder, isSeekable } = traits
  const split = join(fromKeyFrame(traits), 'split[picture][first]')
  const pictures = `[0:V:${stream}]${split};[first]trim=end_frame=1,showinfo=checksum=0,nullsink`
  const starts = kind === 'video' && isSeekable ? seekTries(frame) : [0]
  return starts.map((seekSeconds) => [
    ...untrustedInput(original, { seekSeconds, fromKeyFrame: seekSeconds > 0, decoder }),
    ...[...output(pictures), ...openedSound(traits, seekSeconds > 0 ? undefined : frame / FPS + 1)],
  ])
}

/**
 * Takes the cover from a movie on standard input that has only the pictures around it.
 * @param frame of that movie
 * @see planCoverGroup
 */
export function pipedCoverArgs(
  traits: OriginalTraits,
  frame: number,
  files: StillFiles,
  edit: PictureEdit,
): string[] {
  return [...untrustedMovie(), ...bothStills(coverGraph('[0:v:0]', traits, frame, edit), files)]
}

function coverGraph(input: string, traits: OriginalTraits, frame: number, edit: PictureEdit): string {
  const isVideo = traits.kind === 'video'
  const rate = isVideo
    ? `${constantRateOf(traits)},tpad=stop_mode=clone:stop_duration=1`
    : CONSTANT_RATE_OF_IMAGE
  const timing = `${rate},trim=start_frame=${frame},setpts=PTS-STARTPTS`
  const picture = traits.hasAlpha
    ? onWhite(input, timing, traits.size, traits, RGB_TO_JPEG)
    : `${input}${timing},${toJpegPicture(traits, traits.size)}`
  return [picture, ...editFilters(edit, traits.size, traits.size)].join(',')
}

/** Takes the cover from one decoded RGB picture on standard input. */
export function rawCoverArgs(size: Size, files: StillFiles, edit: PictureEdit): string[] {
  const graph = [`[0:v:0]${RGB_TO_JPEG}`, ...editFilters(edit, size, size)].join(',')
  return [...rawInput('rgb24', size), ...bothStills(graph, files)]
}

/** Takes the cover from the preview: less sharp, for originals whose index is broken. */
export function previewCoverArgs(
  preview: string,
  frame: number,
  files: StillFiles,
  edited: readonly string[] = [],
): string[] {
  const filters = [previewToJpegPicture(MAX_PREVIEW_WIDTH), ...edited]
  return [
    ...ownInput(preview, { seekSeconds: seekToFrame(frame) }),
    ...bothStills(`[0:v:0]${filters.join(',')}`, files),
  ]
}

/** A smaller thumbnail of a cover, for pictures whose usual one would not fit into an EXIF segment. */
export function smallThumbnailArgs(cover: string, output: string): string[] {
  return [...plainInput('mjpeg', [], cover), '-vf', `${fitInto(160)},setsar=1`, ...jpegOutput(output, 12)]
}

const MAX_PREVIEW_WIDTH = 16_384

/** Outputs of cover and thumbnail. @param graph that ends with the picture */
export function bothStills(graph: string, { cover, thumbnail }: StillFiles): string[] {
  return [
    ...['-filter_complex', `${graph},split[cover][small];[small]${fitInto(THUMBNAIL_SIDE)}[thumbnail]`],
    ...['-map', '[cover]', ...jpegOutput(cover, COVER_QUALITY)],
    ...['-map', '[thumbnail]', ...jpegOutput(thumbnail, THUMBNAIL_QUALITY)],
  ]
}

/** Shrinks to at most `side` and at least 1 pixel each way. Never enlarges. */
export function fitInto(side: number): string {
  const shrink = (length: string) => `'max(1,round(${length}*min(1,${side}/max(iw,ih))))'`
  return `scale=w=${shrink('iw')}:h=${shrink('ih')}:in_range=pc:out_range=pc`
}
