import sharp from 'sharp'
import { ffmpeg, type MediaFolder } from './media'

// Pictures that bear a number which survives scaling and compression: eleven cells, black or white, and a parity cell.

const CELLS = 12
const DARK = 40
const BRIGHT = 215

const CODED_WIDTH = 192
const CODED_HEIGHT = 48

/** ffmpeg's arguments and input for grey pictures that bear the numbers from 0. */
export function codedInput(
  count: number,
  rate: number | string = 30,
): { readonly args: readonly string[]; readonly stdin: Uint8Array } {
  const pixels = CODED_WIDTH * CODED_HEIGHT
  const stdin = new Uint8Array(pixels * count)
  for (let number = 0; number < count; number += 1) {
    stdin.set(codedPicture(number), number * pixels)
  }
  const size = `${CODED_WIDTH}x${CODED_HEIGHT}`
  return {
    args: ['-f', 'rawvideo', '-pix_fmt', 'gray', '-s', size, '-r', String(rate), '-i', 'pipe:0'],
    stdin,
  }
}

/** Makes a video of grey pictures that bear the numbers from 0. @param args ffmpeg's, after the pictures. @returns its path */
export function makeCoded(
  media: MediaFolder,
  name: string,
  [count, rate = 30]: readonly [count: number, rate?: number | string],
  args: readonly string[] = [],
): Promise<string> {
  const { args: input, stdin } = codedInput(count, rate)
  return media.make(name, [...input, ...args], stdin)
}

/** Makes an animated WebP of such pictures. @param delays milliseconds of each. @returns its path */
export async function makeCodedWebp(
  media: MediaFolder,
  name: string,
  delays: readonly number[],
): Promise<string> {
  const raw = { width: CODED_WIDTH, height: CODED_HEIGHT, channels: 1 } as const
  const pictures = await Promise.all(
    delays.map((_, number) => sharp(codedPicture(number), { raw }).png().toBuffer()),
  )
  const webp = sharp(pictures, { join: { animated: true } }).webp({ delay: [...delays], quality: 90 })
  return media.write(name, await webp.toBuffer())
}

/** One grey picture, a byte a pixel. */
function codedPicture(number: number): Uint8Array {
  const picture = new Uint8Array(CODED_WIDTH * CODED_HEIGHT)
  const width = CODED_WIDTH / CELLS
  for (let cell = 0; cell < CELLS; cell += 1)
    picture.fill(cellLevel(number, cell), cell * width, (cell + 1) * width)
  for (let row = 1; row < CODED_HEIGHT; row += 1) picture.copyWithin(row * CODED_WIDTH, 0, CODED_WIDTH)
  return picture
}

/** The numbers that a video's frames (or a picture) bear, in the order of showing. */
export async function readNumbers(path: string, input: readonly string[] = []): Promise<number[]> {
  const levels = await ffmpeg([
    ...input,
    ...['-i', path, '-map', '0:v:0', '-fps_mode', 'passthrough'],
    ...['-vf', `scale=${CELLS}:1:flags=area,format=gray`, '-f', 'rawvideo', 'pipe:1'],
  ])
  return Array.from({ length: levels.length / CELLS }, (_, index) =>
    numberOf(levels.subarray(index * CELLS, (index + 1) * CELLS), `frame ${index} of ${path}`),
  )
}

function cellLevel(number: number, cell: number): number {
  const bit = cell === CELLS - 1 ? parity(number) : (number >> cell) & 1
  return bit === 1 ? BRIGHT : DARK
}

function numberOf(levels: Uint8Array, where: string): number {
  const bits = Array.from(levels, (level): number => {
    // Two pictures laid over each other would be grey here.
    if (level > 90 && level < 165) throw new Error(`no number: cells ${[...levels]} in ${where}`)
    return level > 127 ? 1 : 0
  })
  const number = bits.slice(0, -1).reduce((sum, bit, place) => sum + bit * 2 ** place, 0)
  if (parity(number) !== bits.at(-1)) throw new Error(`wrong number: cells ${[...levels]} in ${where}`)
  return number
}

function parity(number: number): number {
  return number.toString(2).replaceAll('0', '').length % 2
}
