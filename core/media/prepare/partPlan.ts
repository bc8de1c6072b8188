import { GROUP_FRAMES } from '../ffmpeg/encodeArgs'
import { FPS } from '../frames'
import type { FrameWindow } from './window'

/** A part of a preview that a process of its own encodes. */
export type Part = FrameWindow & {
  /** The exact number of frames; undefined for the last part, which goes as far as the upload does. */
  readonly frames: number | undefined
}

/** Shorter parts are not worth starting a process and seeking. */
const MIN_PART_SECONDS = 20

/**
 * Divides a preview into parts of about the same length. Each begins with a group of its own, and where the filmstrip has
 * a tile.
 * @param window of the upload, in frames
 * @param expectedFrames how many of them there will be
 * @param tileInterval frames from tile to tile; undefined without a filmstrip
 * @returns the parts in order; fewer than two when the preview is not worth dividing
 */
export function planParts(
  { firstFrame, maxFrames }: FrameWindow,
  expectedFrames: number,
  tileInterval: number | undefined,
  processes: number,
): Part[] {
  const count = Math.min(processes, Math.floor(expectedFrames / (MIN_PART_SECONDS * FPS)))
  // An interval is 5 frames, or a whole number of groups.
  const isWholeGroups = tileInterval !== undefined && tileInterval % GROUP_FRAMES === 0
  const grid = isWholeGroups ? tileInterval : GROUP_FRAMES * (tileInterval ?? 1)
  const starts = Array.from(
    { length: count },
    (_, part) => Math.round((part * expectedFrames) / count / grid) * grid,
  )
  return starts.map((start, part) => {
    const end = starts[part + 1]
    return {
      firstFrame: firstFrame + start,
      maxFrames: (end ?? maxFrames) - start,
      frames: end === undefined ? undefined : end - start,
    }
  })
}
