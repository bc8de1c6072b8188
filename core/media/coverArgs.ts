import { seekToFrame } from './clipEncoding'
import { jpegOutput } from './encodeArgs'
import { ownInput, untrustedInput } from './ffmpegInput'
import {
  CONSTANT_RATE,
  HOLD_LAST,
  onWhite,
  previewToJpegPicture,
  RGB_TO_JPEG,
  toJpegPicture,
} from './filters'
import { FPS } from './frames'
import type { OriginalTraits } from './source'

/** Where the two stills of a motion photo are written. */
export type StillFiles = { readonly cover: string; readonly thumbnail: string }

/** Longest side of the thumbnail inside the EXIF, in pixels. */
const THUMBNAIL_SIDE = 320
const COVER_QUALITY = 2
const THUMBNAIL_QUALITY = 5

/**
 * Arguments that take a frame of the preview out of the original, at its full size, as cover and thumbnail.
 * A video is entered at the key frame before the moment, so that the newest picture that had begun is found whatever
 * the rate; an animated image is decoded from its start.
 */
export function coverArgs(
  original: string,
  traits: OriginalTraits,
  frame: number,
  files: StillFiles,
): string[] {
  const isVideo = traits.kind === 'video'
  const timing = isVideo
    ? `tpad=stop_mode=clone:stop_duration=1,${CONSTANT_RATE}`
    : `${CONSTANT_RATE},${HOLD_LAST},trim=start_frame=${frame},setpts=PTS-STARTPTS`
  const graph = traits.hasAlpha
    ? onWhite(timing, traits.size, traits, RGB_TO_JPEG)
    : `[0:V:0]${timing},${toJpegPicture(traits)}`
  const input = isVideo ? { seekSeconds: frame / FPS, fromKeyFrame: true } : {}
  return [...untrustedInput(original, input), ...bothStills(graph, files)]
}

/** The same from one decoded RGB picture on standard input. */
export function rawCoverArgs(size: { width: number; height: number }, files: StillFiles): string[] {
  return [
    ...['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${size.width}x${size.height}`, '-i', 'pipe:0'],
    ...bothStills(`[0:v:0]${RGB_TO_JPEG}`, files),
  ]
}

/** The same from the preview: less sharp, for originals whose index is broken. */
export function previewCoverArgs(preview: string, frame: number, files: StillFiles): string[] {
  return [
    ...ownInput(preview, { seekSeconds: seekToFrame(frame) }),
    ...bothStills(`[0:v:0]${previewToJpegPicture(MAX_PREVIEW_WIDTH)}`, files),
  ]
}

/** A small thumbnail of a cover, for a picture so busy that the usual one would not fit an EXIF segment. */
export function smallThumbnailArgs(cover: string, output: string): string[] {
  return ['-f', 'mjpeg', '-i', `file:${cover}`, '-vf', `${fitInto(160)},setsar=1`, ...jpegOutput(output, 12)]
}

/** One frame of the preview as a JPEG on standard output, at most `width` pixels wide. */
export function thumbnailArgs(preview: string, frame: number, width: number): string[] {
  return [
    ...ownInput(preview, { seekSeconds: seekToFrame(frame), threads: 1 }),
    ...['-map', '0:v:0', '-vf', previewToJpegPicture(width), '-frames:v', '1', '-c:v', 'mjpeg', '-q:v', '3'],
    ...['-f', 'mjpeg', 'pipe:1'],
  ]
}

const MAX_PREVIEW_WIDTH = 16_384

function bothStills(graph: string, { cover, thumbnail }: StillFiles): string[] {
  return [
    ...['-filter_complex', `${graph},split[cover][small];[small]${fitInto(THUMBNAIL_SIDE)}[thumbnail]`],
    ...['-map', '[cover]', ...jpegOutput(cover, COVER_QUALITY)],
    ...['-map', '[thumbnail]', ...jpegOutput(thumbnail, THUMBNAIL_QUALITY)],
  ]
}

function fitInto(side: number): string {
  return `scale=w=${side}:h=${side}:force_original_aspect_ratio=decrease:in_range=pc:out_range=pc`
}
