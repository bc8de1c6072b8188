import type { Region } from './crop'
import { type Cut, FPS } from './cut'
import { usePixelsAsCoded } from './pictures'
import { bitsOfPictures, TRIED } from './rate/clipRate'
import type { Picture } from './rate/picture'

/** At each a part of the picture's height is tried. */
const MOMENTS = 3
/** Of a preview, at most: H.264's level 3.1. */
const MOST_PIXELS = 3600 * 256
const BLOCK = 16

type Size = Pick<Region, 'width' | 'height'>

/**
 * About how many bits each picture of a clip takes that the service encodes.
 * @param shown the size of the video as it is shown. @param region what of it stays. @param isTwice as of `bitsOfPictures`
 * @returns undefined where the browser does not decode the video here
 */
export async function bitsOfEncoded(
  file: File,
  range: Cut,
  shown: Size,
  region: Region | undefined,
  isTwice: boolean,
): Promise<number | undefined> {
  const scale = Math.min(1, Math.sqrt(MOST_PIXELS / (shown.width * shown.height)))
  const whole = region ?? { x: 0, y: 0, ...shown }
  const tried: Picture[][] = Array.from({ length: MOMENTS }, () => [])
  await usePixelsAsCoded(file, momentsIn(range), async (at, pixels) => {
    const part = Math.floor(at / TRIED)
    // What a phone turns for its screen costs as many bits in either way.
    const coded = pixels.width === shown.width ? whole : turned(whole)
    tried[part]?.push(pictureOf(pixels, bandOf(coded, part), scale))
  })
  if (tried.some((pictures) => pictures.length < TRIED)) return undefined
  const pixels = whole.width * whole.height * scale ** 2
  const each = tried.map(
    (pictures) => bitsOfPictures(pictures, isTwice) / (pictures[0]?.[0].data.length ?? 1),
  )
  return (each.reduce((sum, bits) => sum + bits, 0) / MOMENTS) * pixels
}

/** Moments at which pictures follow each other. */
function momentsIn({ start, end }: Cut): number[] {
  return Array.from({ length: MOMENTS * TRIED }, (_, at) => {
    const first = start + ((end - start) * (2 * Math.floor(at / TRIED) + 1)) / (2 * MOMENTS) - TRIED / 2
    return (Math.max(start, Math.floor(first)) + (at % TRIED) + 0.5) / FPS
  })
}

function turned({ x, y, width, height }: Region): Region {
  return { x: y, y: x, width: height, height: width }
}

function bandOf({ x, y, width, height }: Region, part: number): Region {
  return { x, y: y + (height * part) / MOMENTS, width, height: height / MOMENTS }
}

/** A part of some pixels at another scale, as whole blocks of BT.709. */
function pictureOf(pixels: ImageData, region: Region, scale: number): Picture {
  const width = Math.max(1, Math.floor((region.width * scale) / BLOCK)) * BLOCK
  const height = Math.max(1, Math.floor((region.height * scale) / BLOCK)) * BLOCK
  const luma = { data: new Uint8Array(width * height), width, height }
  const chroma = () => ({ data: new Uint8Array((width * height) / 4), width: width / 2, height: height / 2 })
  const [blue, red] = [chroma(), chroma()]
  const sums = new Float32Array(width)
  for (let row = 0; row < height; row += 1) {
    if (row % 2 === 0) sums.fill(0)
    for (let column = 0; column < width; column += 1) {
      const [r, g, b] = colourAt(
        pixels,
        (column + 0.5) / scale + region.x - 0.5,
        (row + 0.5) / scale + region.y - 0.5,
      )
      const light = 0.2126 * r + 0.7152 * g + 0.0722 * b
      luma.data[row * width + column] = 16 + (light * 219) / 255
      const pair = column - (column % 2)
      sums[pair] = (sums[pair] ?? 0) + b - light
      sums[pair + 1] = (sums[pair + 1] ?? 0) + r - light
    }
    if (row % 2 === 0) continue
    for (let pair = 0; pair < width; pair += 2) {
      const at = (((row - 1) / 2) * width) / 2 + pair / 2
      blue.data[at] = 128.5 + ((sums[pair] ?? 0) / 4 / 1.8556) * (224 / 255)
      red.data[at] = 128.5 + ((sums[pair + 1] ?? 0) / 4 / 1.5748) * (224 / 255)
    }
  }
  return [luma, blue, red]
}

const colour: [number, number, number] = [0, 0, 0]

/** Between the pixels around it. */
function colourAt({ data, width, height }: ImageData, x: number, y: number): typeof colour {
  const left = Math.min(Math.max(0, Math.floor(x)), width - 1)
  const top = Math.min(Math.max(0, Math.floor(y)), height - 1)
  const [across, down] = [Math.max(0, x - left), Math.max(0, y - top)]
  const at = (top * width + left) * 4
  const beside = left + 1 < width ? 4 : 0
  const below = top + 1 < height ? width * 4 : 0
  for (let channel = 0; channel < 3; channel += 1) {
    const place = at + channel
    const above = (data[place] ?? 0) * (1 - across) + (data[place + beside] ?? 0) * across
    const under = (data[place + below] ?? 0) * (1 - across) + (data[place + below + beside] ?? 0) * across
    colour[channel] = above * (1 - down) + under * down
  }
  return colour
}
