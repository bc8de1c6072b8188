import { ffmpeg } from '#support/media/media'
import { assert, suite } from '#support/runner/suite'
import {
  dequantize,
  quantize,
  restore,
  transform,
} from '../../../../../../local-runner/ui/studio/photo/rate/blocks'
import { bitsOfLevels } from '../../../../../../local-runner/ui/studio/photo/rate/cavlc'
import {
  bitsOfClip,
  type ClipPictures,
  costsOf,
  TRIED,
} from '../../../../../../local-runner/ui/studio/photo/rate/clipRate'
import type { Picture } from '../../../../../../local-runner/ui/studio/photo/rate/plane'
import { scaledPlane } from '../../../../../../local-runner/ui/studio/photo/rate/scaled'

const test = suite('bits that an encoding takes', { timeoutMs: 60_000 })
const [WIDTH, HEIGHT] = [640, 352]
const BLOCKS = (WIDTH * HEIGHT) / 256
const GROUP = 14
/** As the service encodes a preview. */
const ENCODER = [
  ...'-c:v libx264 -preset ultrafast -crf 22 -g 14 -keyint_min 14 -sc_threshold 0 -profile:v baseline'.split(
    ' ',
  ),
  '-x264-params',
  'mbtree=1:rc-lookahead=5:sync-lookahead=0:aq-mode=1:aq-strength=0.3:ref=1:frame-packing=5:deblock=0,0',
]
const COPIED: ClipPictures = { isTwice: false, stride: 1, count: 90, repeated: 0 }
const TWICE: ClipPictures = { isTwice: true, stride: 1, count: 90, repeated: 0 }

const SCENES = {
  zoom: `mandelbrot=size=${WIDTH}x${HEIGHT}:rate=30`,
  grain: `mandelbrot=size=${WIDTH}x${HEIGHT}:rate=30,noise=alls=12:allf=t`,
  pan: `mandelbrot=size=1280x704:rate=1,loop=-1:1,fps=30,crop=${WIDTH}:${HEIGHT}:x='100+3*n':y=100,noise=alls=4:allf=t`,
  smooth: `mandelbrot=size=${WIDTH}x${HEIGHT}:rate=30,gblur=12`,
  still: `mandelbrot=size=${WIDTH}x${HEIGHT}:rate=1,loop=-1:1,fps=30,noise=alls=8:allf=t`,
}

for (const [name, graph] of Object.entries(SCENES))
  test(`are told as x264 takes them: ${name}`, async () => {
    const sizes = await sizesOf(graph)
    const { key, predicted } = costsOf(await picturesOf(graph, GROUP), COPIED)
    const bits = (pictures: readonly number[]) =>
      (8 * pictures.reduce((sum, size) => sum + size, 0)) / pictures.length / BLOCKS
    assertClose(key, bits(sizes.slice(GROUP, GROUP + 1)), 0.15)
    assertClose(predicted, bits(sizes.slice(GROUP + 2)), 0.3)
  })

test('of a key frame are more in a clip of the preview, for its better quality', async () => {
  const pictures = await picturesOf(SCENES.grain, GROUP)
  assert.ok(costsOf(pictures, TWICE).key > 1.1 * costsOf(pictures, COPIED).key)
})

test('count a cut once, and not for each picture', async () => {
  const before = await picturesOf(SCENES.still, 0)
  const after = await picturesOf(`testsrc2=s=${WIDTH}x${HEIGHT}:r=30`, 0)
  const costs = costsOf([...before.slice(0, TRIED - 1), ...after.slice(0, 1)], COPIED)
  assert.equal(costs.cuts, 1)
  assert.ok(costs.predicted < costs.key / 2, `${costs.predicted} of ${costs.key}`)
  const bits = bitsOfClip([costs, { ...costs, cuts: 0 }], { ...COPIED, count: 0 })
  assert.equal(bits, bitsOfClip([{ ...costs, cuts: 0 }], { ...COPIED, count: 0 }) + costs.key)
})

test('of a block are those of its levels and of its zeros', () => {
  const bits = bitsOfLevels(Int32Array.of(0, 3, 0, 1, -1, -1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0), 16, 0)
  assert.equal(bits, '000010001110010111101101'.length)
})

test('samples are restored that were quantized finely', () => {
  const values = Int32Array.from({ length: 16 }, (_, at) => ((at * 37) % 101) - 50)
  const before = values.slice()
  transform(values, 0)
  quantize(values, 0, 4, false, 0)
  dequantize(values, 0, 4, 0)
  restore(values, 0)
  for (const [at, value] of values.entries()) assert.ok(Math.abs(value - (before[at] ?? 0)) <= 1)
})

test('a part of a plane keeps its slope at another size', () => {
  const [width, height] = [48, 32]
  const data = Uint8Array.from({ length: width * height }, (_, at) => 4 * (at % width))
  const of = { data, width, height, at: 0, step: 1, stride: width }
  const half = scaledPlane(of, { x: 8, y: 0, width: 32, height: 32 }, 16, 16, true)
  assert.equal(
    Array.from(half.data.subarray(16, 32)),
    Array.from({ length: 16 }, (_, at) => 34 + 8 * at),
  )
})

test.run()

function assertClose(said: number, taken: number, part: number): void {
  assert.ok(Math.abs(said / taken - 1) < part, `${said} of ${taken}`)
}

/** Of the pictures up to the last one that is tried. */
async function sizesOf(graph: string): Promise<number[]> {
  const output = ['-frames:v', String(GROUP + TRIED + 5), ...ENCODER, '-pix_fmt', 'yuv420p']
  const lines = await ffmpeg(['-f', 'lavfi', '-i', graph, ...output, '-f', 'framecrc', '-'])
  const sizes = Array.from(lines.toString().matchAll(/^0,.*?,.*?,.*?, *(\d+),/gm), ([, size]) => Number(size))
  return sizes.slice(0, GROUP + TRIED)
}

async function picturesOf(graph: string, first: number): Promise<Picture[]> {
  const output = ['-frames:v', String(TRIED), '-pix_fmt', 'yuv420p', '-f', 'rawvideo', '-']
  const bytes = await ffmpeg(['-f', 'lavfi', '-i', `${graph},trim=start_frame=${first}`, ...output])
  const [luma, chroma] = [WIDTH * HEIGHT, (WIDTH * HEIGHT) / 4]
  return Array.from({ length: TRIED }, (_, at) => {
    const from = at * (luma + 2 * chroma)
    const plane = (start: number, half: number) => ({
      data: Uint8Array.from(bytes.subarray(start, start + (half === 1 ? luma : chroma))),
      width: WIDTH / half,
      height: HEIGHT / half,
    })
    return [plane(from, 1), plane(from + luma, 2), plane(from + luma + chroma, 2)] as const
  })
}
