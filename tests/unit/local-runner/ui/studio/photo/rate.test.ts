import { ffmpeg } from '#support/media/media'
import { assert, suite } from '#support/runner/suite'
import { bitsOfPictures, TRIED } from '../../../../../../local-runner/ui/studio/photo/rate/clipRate'
import type { Picture } from '../../../../../../local-runner/ui/studio/photo/rate/picture'
import { restore, transform } from '../../../../../../local-runner/ui/studio/photo/rate/transform'

const test = suite('bits that an encoding takes', { timeoutMs: 60_000 })
const [WIDTH, HEIGHT] = [640, 352]
/** As the service encodes a preview. */
const ENCODER = [
  ...'-c:v libx264 -preset ultrafast -crf 22 -g 14 -keyint_min 14 -sc_threshold 0 -profile:v baseline'.split(
    ' ',
  ),
  '-x264-params',
  'mbtree=1:rc-lookahead=5:sync-lookahead=0:aq-mode=1:aq-strength=0.3:ref=1:frame-packing=5:deblock=0,0',
]
const FRAMES = 28

const SCENES = {
  zoom: `mandelbrot=size=${WIDTH}x${HEIGHT}:rate=30`,
  grain: `mandelbrot=size=${WIDTH}x${HEIGHT}:rate=30,noise=alls=12:allf=t`,
  cells: `cellauto=s=${WIDTH}x${HEIGHT}:rule=110:scroll=1:r=30,gblur=1.5`,
  pan: `mandelbrot=size=1280x704:rate=1,loop=-1:1,fps=30,crop=${WIDTH}:${HEIGHT}:x='100+3*n':y=100`,
}

for (const [name, graph] of Object.entries(SCENES))
  test(`are told of four pictures to within a third: ${name}`, async () => {
    const said = bitsOfPictures(await picturesOf(graph), false)
    const output = ['-frames:v', String(FRAMES), ...ENCODER, '-pix_fmt', 'yuv420p', '-f', 'h264', '-']
    const taken = ((await ffmpeg(['-f', 'lavfi', '-i', graph, ...output])).length * 8) / FRAMES
    const ratio = said / taken
    assert.ok(ratio > 0.67 && ratio < 1.5, `${said} of ${taken}`)
  })

test('of a clip of the preview are those of its better quality', async () => {
  const pictures = await picturesOf(SCENES.grain)
  assert.ok(bitsOfPictures(pictures, true) > 1.2 * bitsOfPictures(pictures, false))
})

test('a transform is undone by its inverse', () => {
  const values = Float64Array.from({ length: 64 }, (_, at) => (at * 37) % 101)
  const before = values.slice()
  transform(values, 4, 8)
  assert.not.equal([...values], [...before])
  restore(values, 4, 8)
  for (const [at, value] of values.entries()) assert.ok(Math.abs(value - (before[at] ?? 0)) < 1e-9)
})

test.run()

/** Of the middle. */
async function picturesOf(graph: string): Promise<Picture[]> {
  const output = ['-frames:v', String(TRIED), '-pix_fmt', 'yuv420p', '-f', 'rawvideo', '-']
  const bytes = await ffmpeg(['-f', 'lavfi', '-i', `${graph},trim=start_frame=${FRAMES / 2 - 2}`, ...output])
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
