/** Edges of the pictures in the icon, in pixels, as Windows wants them for lists, desktops and large views. */
export const ICON_SIZES = [16, 24, 32, 48, 256] as const

/** Points per pixel and direction, for smooth edges. */
const SAMPLES = 4

type Colour = readonly [red: number, green: number, blue: number]
const FRAME: Colour = [62, 44, 35]
const GLASS: Colour = [255, 196, 84]
const FLAME: Colour = [255, 244, 214]

/** A lantern, as shapes in a square from 0 to 1 with y downwards; what comes first lies on top. */
const SHAPES: readonly { readonly colour: Colour; readonly has: (x: number, y: number) => boolean }[] = [
  { colour: FLAME, has: (x, y) => ((x - 0.5) / 0.09) ** 2 + ((y - 0.58) / 0.15) ** 2 <= 1 },
  { colour: FRAME, has: (x, y) => y >= 0.84 && y <= 0.93 && Math.abs(x - 0.5) <= 0.29 },
  { colour: FRAME, has: (x, y) => y >= 0.25 && y <= 0.35 && Math.abs(x - 0.5) <= 0.12 + (y - 0.25) * 1.7 },
  { colour: FRAME, has: (x, y) => y > 0.35 && y < 0.84 && Math.abs(Math.abs(x - 0.5) - 0.25) <= 0.028 },
  { colour: GLASS, has: (x, y) => y > 0.35 && y < 0.84 && Math.abs(x - 0.5) < 0.25 },
  { colour: FRAME, has: (x, y) => y <= 0.26 && Math.abs(Math.hypot(x - 0.5, y - 0.2) - 0.11) <= 0.028 },
]

/**
 * The program's icon in one size, drawn by formulas.
 * @returns a device-independent bitmap as in an `.ico` file: header with twice the height, 32-bit BGRA rows from the bottom
 *   up, an empty mask
 * @see https://learn.microsoft.com/windows/win32/api/wingdi/ns-wingdi-bitmapinfoheader
 */
export function iconBitmap(size: number): Uint8Array {
  const headerBytes = 40
  const pixelBytes = size * size * 4
  const maskBytes = Math.ceil(size / 32) * 4 * size
  const bitmap = new Uint8Array(headerBytes + pixelBytes + maskBytes)
  const view = new DataView(bitmap.buffer)
  view.setUint32(0, headerBytes, true)
  view.setInt32(4, size, true)
  view.setInt32(8, size * 2, true)
  view.setUint16(12, 1, true)
  view.setUint16(14, 32, true)
  view.setUint32(20, pixelBytes + maskBytes, true)
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      bitmap.set(pixel(x, size - 1 - y, size), headerBytes + (y * size + x) * 4)
    }
  }
  return bitmap
}

/** @returns blue, green, red, opacity */
function pixel(column: number, row: number, size: number): readonly number[] {
  const sum = [0, 0, 0]
  let covered = 0
  for (let sample = 0; sample < SAMPLES * SAMPLES; sample++) {
    const x = (column + ((sample % SAMPLES) + 0.5) / SAMPLES) / size
    const y = (row + (Math.floor(sample / SAMPLES) + 0.5) / SAMPLES) / size
    const shape = SHAPES.find(({ has }) => has(x, y))
    if (shape === undefined) continue
    covered += 1
    for (const [channel, value] of shape.colour.entries()) sum[channel] = (sum[channel] ?? 0) + value
  }
  const [red = 0, green = 0, blue = 0] = sum.map((total) => Math.round(total / Math.max(covered, 1)))
  return [blue, green, red, Math.round((covered * 255) / SAMPLES ** 2)]
}
