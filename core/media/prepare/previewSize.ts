import type { Size } from '#core/formats/source/facts'

/** H.264 level 3.1: 3,600 macroblocks a picture (at 30 a second), and no side longer than √(8 × 3,600) of them. */
const MAX_MACROBLOCKS = 3600
const MAX_SIDE = 2704

/**
 * The preview's size in pixels for a picture that is shown at `width` × `height` (square pixels, upright).
 * Odd sides are rounded up to even ones. With `fit`, what does not fit level 3.1 shrinks with its aspect;
 * with `source`, the size stays.
 * @see ITU-T H.264, table A-1
 */
export function previewSize({ width, height }: Size, mode: 'fit' | 'source'): Size {
  const even = { width: evenUp(width), height: evenUp(height) }
  return mode === 'source' || fitsLevel31(even) ? even : largestFitting(width, height)
}

export function fitsLevel31({ width, height }: Size): boolean {
  return (
    Math.ceil(width / 16) * Math.ceil(height / 16) <= MAX_MACROBLOCKS &&
    width <= MAX_SIDE &&
    height <= MAX_SIDE
  )
}

/** Tries the even lengths of the longer side from the largest down: there are at most 1,352. */
function largestFitting(width: number, height: number): Size {
  const isWide = width >= height
  const ratio = isWide ? height / width : width / height
  for (let long = Math.min(MAX_SIDE, evenUp(Math.max(width, height))); long > 2; long -= 2) {
    const short = Math.max(2, 2 * Math.round((long * ratio) / 2))
    const size = isWide ? { width: long, height: short } : { width: short, height: long }
    if (fitsLevel31(size)) return size
  }
  return { width: 2, height: 2 }
}

function evenUp(length: number): number {
  return Math.max(2, 2 * Math.ceil(length / 2))
}
