import { deltaE, type Gamut, inBt709 } from '#support/media/gamut'
import { mediaFolderOfSuite, withEncoder } from '#support/media/media'
import { createMediaTools } from '#support/media/mediaTools'
import { type Colour, colourAt, frameOf, type Picture, pictureOf } from '#support/media/pixels'
import { assert, suite } from '#support/runner/suite'

const test = suite('wide colour gamuts', { timeoutMs: 60_000 })
const media = await mediaFolderOfSuite()
const tools = createMediaTools(media)

/** In the primaries of the file: greys, skin, leaves, sky, and colours that BT.709 does not have. */
const PATCHES: readonly Colour[] = [
  [20, 20, 20],
  [128, 128, 128],
  [235, 235, 235],
  [200, 150, 120],
  [90, 60, 50],
  [80, 130, 60],
  [70, 110, 190],
  [190, 70, 60],
  [220, 200, 60],
  [240, 20, 20],
  [20, 230, 30],
]
const PATCH_WIDTH = 64
const HEIGHT = 64
const LARGEST_DELTA = 2
/** Of what is not converted, where the choice of the encoder and of `scale` remain. */
const LARGEST_DELTA_UNCHANGED = 3

type GamutCase = readonly [
  name: string,
  file: string,
  gamut: Gamut,
  matrix: 'bt709' | 'bt2020nc' | 'smpte170m',
  codec: readonly string[],
  needs: string,
  /** The original has sides that are odd. */
  isOdd?: true,
]
const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '1', '-pix_fmt', 'yuv420p']
const x265 = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none:lossless=1']
const x265Deep = [...x265, '-pix_fmt', 'yuv420p10le']
const x264Odd = ['-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '1', '-pix_fmt', 'yuv444p']
const cases: readonly GamutCase[] = [
  ['Display P3, H.264', 'p3.mp4', 'smpte432', 'bt709', x264, 'libx264'],
  ['Display P3, BT.601 matrix', 'p3-601.mp4', 'smpte432', 'smpte170m', x264, 'libx264'],
  ['Display P3, HEVC of 10 bit', 'p3-hevc.mp4', 'smpte432', 'bt709', x265Deep, 'libx265'],
  ['BT.2020 of standard range', '2020.mp4', 'bt2020', 'bt2020nc', x265Deep, 'libx265'],
  ['Display P3, odd sides', 'p3-odd.mkv', 'smpte432', 'bt709', x264Odd, 'libx264', true],
  ['BT.709 stays as it is', '709.mp4', 'bt709', 'bt709', x264, 'libx264'],
]
for (const [name, file, gamut, matrix, codec, needs, isOdd] of cases) {
  test.skipUnless(...withEncoder(needs))(
    `${name}: preview, cover and thumbnail show the file's colours`,
    async () => {
      const less = isOdd ? 1 : 0
      const [width, height] = [PATCHES.length * PATCH_WIDTH - less, HEIGHT - less]
      const made = await tools.prepare(await makeVideo({ file, gamut, matrix, codec }, width, height))
      assert.is(made.original.primaries, gamut)
      const shot = await tools.shoot(made)
      assert.equal((await pictureOf(shot.path)).width, width, 'the cover has the size of the file')
      for (const [what, picture] of [
        ['preview', await frameOf(made.path)],
        ['cover', await pictureOf(shot.path)],
        ['EXIF thumbnail', await pictureOf(shot.thumbnail)],
      ] as const) {
        showsPatches(picture, gamut, what)
      }
    },
  )
}

function makeVideo(
  {
    file,
    gamut,
    matrix,
    codec,
  }: { file: string; gamut: Gamut; matrix: GamutCase[3]; codec: readonly string[] },
  width: number,
  height: number,
): Promise<string> {
  const transfer = matrix === 'bt2020nc' ? 'bt2020-10' : 'bt709'
  const toYuv = `scale=out_color_matrix=${matrix === 'bt2020nc' ? 'bt2020' : matrix}:out_range=tv:flags=accurate_rnd`
  // Older versions of ffmpeg take the tags of the file from options, newer ones from the pictures.
  const tags = `setparams=color_primaries=${gamut}:color_trc=${transfer}:colorspace=${matrix}:range=tv`
  return media.make(
    file,
    [
      ...['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${width}x${height}`, '-r', '30', '-i', 'pipe:0'],
      ...['-vf', `${toYuv},format=${codec.at(-1)},${tags}`, ...codec],
      ...['-color_primaries', gamut, '-color_trc', transfer, '-colorspace', matrix, '-color_range', 'tv'],
    ],
    patches(width, height, 5),
  )
}

/** RGB pictures of upright patches, all the same. */
function patches(width: number, height: number, count: number): Uint8Array {
  const picture = new Uint8Array(width * height * 3)
  for (let at = 0; at < width * height; at += 1) {
    picture.set(PATCHES[Math.floor((at % width) / PATCH_WIDTH)] ?? [0, 0, 0], at * 3)
  }
  return Uint8Array.from({ length: picture.length * count }, (_, at) => picture[at % picture.length] ?? 0)
}

function showsPatches(picture: Picture, gamut: Gamut, what: string): void {
  for (const [index, patch] of PATCHES.entries()) {
    const shown = colourAt(picture, (index + 0.5) / PATCHES.length, 0.5)
    const expected = inBt709(patch, gamut)
    const delta = deltaE(shown, expected)
    assert.ok(
      delta <= (gamut === 'bt709' ? LARGEST_DELTA_UNCHANGED : LARGEST_DELTA),
      `${what}, ${patch}: is ${shown}, expected ${expected}: ΔE ${delta.toFixed(2)}`,
    )
  }
}

test.run()
