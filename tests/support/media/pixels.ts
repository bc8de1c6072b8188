import sharp from 'sharp'
import * as assert from 'uvu/assert'
import { ffmpeg } from './media'

/** A decoded picture: three bytes of RGB a pixel. */
export type Picture = { readonly width: number; readonly height: number; readonly rgb: Uint8Array }

export type Colour = readonly [red: number, green: number, blue: number]

/** One frame of a video, counted from 0, as a player that believes its tags would show it. */
export async function frameOf(video: string, index = 0): Promise<Picture> {
  const png = await ffmpeg([
    ...['-i', video, '-map', '0:v:0', '-vf', `select=eq(n\\,${index})`, '-frames:v', '1'],
    ...['-c:v', 'png', '-f', 'image2pipe', 'pipe:1'],
  ])
  return pictureOf(png)
}

/** A JPEG, PNG or motion photo. */
export async function pictureOf(file: string | Uint8Array): Promise<Picture> {
  const image = sharp(file, { failOn: 'warning' }).removeAlpha().toColourspace('srgb').raw()
  const { data, info } = await image.toBuffer({ resolveWithObject: true })
  assert.is(info.channels, 3)
  return { width: info.width, height: info.height, rgb: data }
}

/** The mean colour around a place given in shares of width and height; `around` is a share, too. */
export function colourAt({ width, height, rgb }: Picture, x: number, y: number, around = 0.02): Colour {
  const sums = [0, 0, 0] as [number, number, number]
  const [left, right] = span(x, around, width)
  const [top, bottom] = span(y, around, height)
  for (let row = top; row < bottom; row += 1) {
    for (let column = left; column < right; column += 1) {
      const at = (row * width + column) * 3
      sums[0] += rgb[at] ?? 0
      sums[1] += rgb[at + 1] ?? 0
      sums[2] += rgb[at + 2] ?? 0
    }
  }
  const pixels = (bottom - top) * (right - left)
  return [Math.round(sums[0] / pixels), Math.round(sums[1] / pixels), Math.round(sums[2] / pixels)]
}

function span(at: number, around: number, length: number): [number, number] {
  const first = Math.max(0, Math.min(length - 1, Math.floor((at - around) * length)))
  return [first, Math.max(first + 1, Math.min(length, Math.ceil((at + around) * length)))]
}

/** Fails unless every channel is within `tolerance` of the expected one. */
export function sameColour(actual: Colour, expected: Colour, tolerance: number, where: string): void {
  const off = Math.max(...actual.map((value, channel) => Math.abs(value - (expected[channel] ?? 0))))
  assert.ok(off <= tolerance, `${where}: is ${actual}, expected ${expected} ± ${tolerance}`)
}

/** Mean absolute difference of two pictures at the size of the smaller one, of 255. */
export async function difference(one: Picture, other: Picture): Promise<number> {
  const width = Math.min(one.width, other.width)
  const height = Math.min(one.height, other.height)
  const [a, b] = await Promise.all([shrink(one, width, height), shrink(other, width, height)])
  return a.reduce((sum, value, at) => sum + Math.abs(value - (b[at] ?? 0)), 0) / a.length
}

async function shrink(picture: Picture, width: number, height: number): Promise<Uint8Array> {
  return sharp(picture.rgb, { raw: { width: picture.width, height: picture.height, channels: 3 } })
    .resize(width, height, { fit: 'fill' })
    .raw()
    .toBuffer()
}

/** How much neighbouring pixels differ in a row: sharp pictures have more of it. */
export function detail({ width, rgb }: Picture): number {
  let sum = 0
  for (let at = 3; at < rgb.length; at += 3) {
    if ((at / 3) % width !== 0) sum += Math.abs((rgb[at + 1] ?? 0) - (rgb[at - 2] ?? 0))
  }
  return sum / (rgb.length / 3)
}
