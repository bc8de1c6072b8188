import type { Region } from './crop'
import { type Cut, FPS } from './cut'
import { nameOf, type Readable, usePlanes } from './pictures'
import { bitsOfClip, type ClipPictures, costsOf, TRIED } from './rate/clipRate'
import type { Picture } from './rate/plane'
import { type Samples, scaledPlane } from './rate/scaled'

/** At each a part of the picture's height is tried. */
const MOMENTS = 3
/** Of a preview, at most: H.264's level 3.1. */
const MOST_PIXELS = 3600 * 256
const BLOCK = 16

type Size = Pick<Region, 'width' | 'height'>

/** What was asked last. Sound, tags and the cover are chosen without any change of it. */
let wanted = ''
let latest: Promise<number | undefined> | undefined

/**
 * About how many bits the pictures of a clip take that the service encodes. What was asked before of other pictures is given up.
 * @param shown the size of the video as it is shown. @param region what of it stays. @param clip what pictures it has
 * @returns undefined where the browser does not decode the video here
 */
export function bitsOfEncoded(
  file: Readable,
  range: Cut,
  shown: Size,
  region: Region | undefined,
  clip: ClipPictures,
): Promise<number | undefined> {
  const of = JSON.stringify([nameOf(file), range.start, range.end, region, clip])
  if (latest && wanted === of) return latest
  wanted = of
  latest = tryPictures(file, range, shown, region, clip, () => wanted === of)
  return latest
}

async function tryPictures(
  file: Readable,
  range: Cut,
  shown: Size,
  region: Region | undefined,
  clip: ClipPictures,
  isWanted: () => boolean,
): Promise<number | undefined> {
  const scale = scaleOfPreview(shown)
  const whole = region ?? { x: 0, y: 0, ...shown }
  const tried: Picture[][] = Array.from({ length: MOMENTS }, () => [])
  await usePlanes(file, momentsIn(range), async (at, planes) => {
    const part = Math.floor(at / TRIED)
    if (isWanted()) tried[part]?.push(pictureOf(planes, shown, bandOf(whole, part), scale))
  })
  if (tried.some((pictures) => pictures.length < TRIED)) return undefined
  const costs: ReturnType<typeof costsOf>[] = []
  for (const pictures of tried) {
    // Meanwhile the worker is asked for something else.
    await new Promise((resolve) => setTimeout(resolve))
    if (!isWanted()) return undefined
    costs.push(costsOf(pictures, clip))
  }
  const blocks = [whole.width, whole.height].reduce((all, side) => all * Math.ceil((side * scale) / BLOCK), 1)
  return blocks * bitsOfClip(costs, clip)
}

/** Of a preview to its video. */
export function scaleOfPreview({ width, height }: Size): number {
  return Math.min(1, Math.sqrt(MOST_PIXELS / (width * height)))
}

/** Moments at which pictures follow each other. */
function momentsIn({ start, end }: Cut): number[] {
  return Array.from({ length: MOMENTS * TRIED }, (_, at) => {
    const middle = ((end - start) * (2 * Math.floor(at / TRIED) + 1)) / (2 * MOMENTS)
    // From the first one of a pair on, as the preview is coded.
    const first = 2 * Math.ceil(Math.max(start, start + middle - TRIED / 2) / 2)
    return (Math.min(end - 1, first + (at % TRIED)) + 0.5) / FPS
  })
}

function bandOf({ x, y, width, height }: Region, part: number): Region {
  return { x, y: y + (height * part) / MOMENTS, width, height: height / MOMENTS }
}

/** A part of what is shown, at another scale and as whole blocks. A phone's video may be coded lying: it costs as many bits in either way. */
function pictureOf(
  planes: readonly [Samples, Samples, Samples],
  shown: Size,
  part: Region,
  scale: number,
): Picture {
  const [luma] = planes
  const isTurned = luma.width > luma.height !== shown.width > shown.height
  const [whole, { x, y, width, height }] = isTurned
    ? [turned({ x: 0, y: 0, ...shown }), turned(part)]
    : [shown, part]
  const columns = Math.max(1, Math.floor((width * scale) / BLOCK)) * BLOCK
  const rows = Math.max(1, Math.floor((height * scale) / BLOCK)) * BLOCK
  const planeOf = (of: Samples, half: 1 | 2) => {
    // Pixels of a video need not be square.
    const [across, down] = [of.width / whole.width, of.height / whole.height]
    const from = {
      x: x * across,
      y: y * down,
      width: (columns / scale) * across,
      height: (rows / scale) * down,
    }
    return scaledPlane(of, from, columns / half, rows / half, half === 1)
  }
  return [planeOf(luma, 1), planeOf(planes[1], 2), planeOf(planes[2], 2)]
}

function turned({ x, y, width, height }: Region): Region {
  return { x: y, y: x, width: height, height: width }
}
