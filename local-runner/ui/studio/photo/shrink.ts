import { numberAt } from '@lantern-room/mp4/source'

/** So many points in a row, and in a column, make one of the smaller picture. */
const POINTS = 4
/** Even, since two rows share their colours. */
const BAND_ROWS = 128

/**
 * A picture made smaller by the mean of some of its points. It is read in bands: of one of 4K all pixels take 33 MB.
 * @returns undefined where the browser gives them in no other format than its own
 */
export async function shrink(
  picture: VideoFrame,
  width: number,
  height: number,
): Promise<ImageData | undefined> {
  const { x = 0, y = 0, width: across = 0, height: down = 0 } = picture.visibleRect ?? {}
  const [columns, rows] = [placesOf(across, width), placesOf(down, height)]
  const band = new Uint8Array(across * BAND_ROWS * 4)
  const sums = new Uint16Array(width * height * 4)
  for (let top = 0; top < down; top += BAND_ROWS) {
    const end = Math.min(down, top + BAND_ROWS)
    const rect = { x, y: y + top, width: across, height: end - top }
    if (picture.allocationSize({ rect, format: 'RGBA' }) !== across * rect.height * 4) return undefined
    await picture.copyTo(band, { rect, format: 'RGBA' })
    for (const [at, row] of rows.entries()) {
      if (row < top || row >= end) continue
      addRow(sums, Math.floor(at / POINTS) * width, band, (row - top) * across, columns)
    }
  }
  return new ImageData(
    Uint8ClampedArray.from(sums, (sum) => sum / POINTS ** 2),
    width,
    height,
  )
}

/** Adds the points of a row to those that they are part of. */
function addRow(
  sums: Uint16Array,
  firstSum: number,
  pixels: Uint8Array,
  firstPixel: number,
  columns: readonly number[],
): void {
  for (const [at, column] of columns.entries()) {
    const [to, from] = [(firstSum + Math.floor(at / POINTS)) * 4, (firstPixel + column) * 4]
    for (let colour = 0; colour < 4; colour += 1) {
      sums[to + colour] = numberAt(sums, to + colour) + numberAt(pixels, from + colour)
    }
  }
}

/** Where the points lie along a side. */
function placesOf(side: number, toSide: number): number[] {
  return Array.from({ length: toSide * POINTS }, (_, at) =>
    Math.floor(((at + 0.5) * side) / (toSide * POINTS)),
  )
}
