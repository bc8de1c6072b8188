import type { Size } from '@lantern-room/formats'
import { GROUP_FRAMES } from '#media/ffmpeg/encodeArgs'
import { FPS, secondsText } from '#media/frames'

/** How the pictures of a filmstrip are taken while a preview is encoded. */
export type StripPlan = ReturnType<typeof planStrip>

/** Tiles of more than this make a page load slowly, and fewer make a coarse strip. */
export const MAX_TILES = 60

/** Longest side of a tile in pixels; a preview that is smaller has smaller tiles. */
const TILE_SIDE = 160
/** Frames from tile to tile in short previews: six tiles a second are a picture for each step of a careful finger. */
const FINEST_INTERVAL = 5
/** Tiles that are taken when the length is unknown; what is too much is left out later. */
const MAX_TAKEN = 2400

/**
 * @param preview pixels of the preview
 * @param frames as far as they are known before; undefined otherwise
 * @param maxFrames the most that there can be
 */
export function planStrip(preview: Size, frames: number | undefined, maxFrames: number) {
  const isShort = frames !== undefined && frames <= FINEST_INTERVAL * MAX_TILES
  const shrink = Math.min(1, TILE_SIDE / Math.max(preview.width, preview.height))
  const side = (pixels: number) => Math.max(1, Math.round(pixels * shrink))
  return {
    /** Pixels of a tile. */
    size: { width: side(preview.width), height: side(preview.height) },
    /** Frames of the preview from one tile to the next. */
    interval: isShort
      ? FINEST_INTERVAL
      : wholeGroups(frames ?? maxFrames, frames === undefined ? MAX_TAKEN : MAX_TILES),
  }
}

/** Key frames of the preview, at most so many. */
function wholeGroups(frames: number, maxTiles: number): number {
  return GROUP_FRAMES * Math.max(1, Math.ceil(frames / GROUP_FRAMES / maxTiles))
}

/** The end of a filter graph that makes pictures of a preview: `[v]`, and `[tiles]` where a strip is planned. */
export function previewAndTiles(strip: StripPlan | undefined): string {
  return strip ? `,split[v][between];[between]${tileFilters(strip)}[tiles]` : '[v]'
}

/**
 * A filter chain from pictures as the preview has them to tiles.
 * @see https://ffmpeg.org/ffmpeg-filters.html, "select" and "scale"
 */
function tileFilters({ size, interval }: StripPlan): string {
  return [
    `select='not(mod(n,${interval}))'`,
    // Without gaps in the times no picture is repeated. ffmpeg 7.0 forgets the rate at `select`, and then leaves out the second one.
    `setpts=N/${FPS}/TB,fps=${FPS}`,
    `scale=${size.width}:${size.height}:flags=area:in_color_matrix=bt709:out_color_matrix=bt601:out_range=pc`,
    'format=yuv420p',
    'setsar=1',
  ].join(',')
}

/**
 * Output of `[tiles]` as one JPEG after the other, all with the same tables.
 * @param frames of the preview, at most
 */
export function tileOutput(path: string, { interval }: StripPlan, frames: number): string[] {
  const tiles = Math.ceil(frames / interval)
  // Both: with damaged time stamps the filters run on long after the last picture, and where no later picture comes ffmpeg 5.1 never
  // reaches the limit of time.
  const limit = ['-frames:v', String(tiles), '-t', secondsText(tiles / FPS)]
  return [
    ...['-map', '[tiles]', ...limit],
    ...['-r', String(FPS), '-c:v', 'mjpeg', '-color_range', 'pc', '-strict', 'unofficial', '-threads', '1'],
    ...['-huffman', 'default', '-q:v', '4', '-fflags', '+bitexact', '-flags:v', '+bitexact'],
    ...['-f', 'mjpeg', '-y', `file:${path}`],
  ]
}
