import { ffmpeg, ffprobe, mediaFolderOfSuite, withFfprobe } from '#support/media/media'
import { createMediaTools, type Prepared } from '#support/media/mediaTools'
import {
  type Colour,
  colourAt,
  difference,
  frameOf,
  type Picture,
  pictureOf,
  sameColour,
} from '#support/media/pixels'
import { ANDROID_CLIP, IPHONE_CLIP } from '#support/media/samples'
import { assert, suite } from '#support/runner/suite'

const test = suite('pictures that lie on their side', { timeoutMs: 60_000 })
const judged = test.skipUnless(...withFfprobe)
const media = await mediaFolderOfSuite()
const tools = createMediaTools(media)

const COLOURS = {
  red: [200, 30, 30],
  green: [30, 180, 40],
  blue: [40, 50, 200],
  grey: [128, 128, 128],
} as const satisfies Record<string, Colour>
type Name = keyof typeof COLOURS
type Corners = readonly [Name, Name, Name, Name]

/** As stored: red, green / blue, grey, 160 × 96. A display matrix says how it is to be shown. */
const STORED = [
  'drawbox=x=0:y=0:w=80:h=48:t=fill:color=0xc81e1e',
  'drawbox=x=80:y=0:w=80:h=48:t=fill:color=0x1eb428',
  'drawbox=x=0:y=48:w=80:h=48:t=fill:color=0x2832c8',
].join(',')

/** The display matrix of tkhd, a and d of each row: x' = ax + cy, y' = bx + dy. */
const turns: readonly [
  name: string,
  matrix: readonly [a: number, b: number, c: number, d: number],
  shown: Corners,
  size: string,
][] = [
  ['upright', [1, 0, 0, 1], ['red', 'green', 'blue', 'grey'], '160x96'],
  ['turned by 90 degrees', [0, 1, -1, 0], ['blue', 'red', 'grey', 'green'], '96x160'],
  ['turned by 180 degrees', [-1, 0, 0, -1], ['grey', 'blue', 'green', 'red'], '160x96'],
  ['turned by 270 degrees', [0, -1, 1, 0], ['green', 'grey', 'red', 'blue'], '96x160'],
  ['mirrored', [-1, 0, 0, 1], ['green', 'red', 'grey', 'blue'], '160x96'],
  ['upside down', [1, 0, 0, -1], ['blue', 'grey', 'red', 'green'], '160x96'],
  ['mirrored along one diagonal', [0, 1, 1, 0], ['red', 'blue', 'green', 'grey'], '96x160'],
  ['mirrored along the other diagonal', [0, -1, -1, 0], ['grey', 'green', 'blue', 'red'], '96x160'],
]
for (const [name, matrix, corners, size] of turns) {
  judged(`${name}: preview, cover, thumbnail and clip stand upright`, async () => {
    const upload = await turned(matrix)
    const made = await tools.prepare(upload)
    assert.is(`${made.width}x${made.height}`, size)
    const shot = await tools.shoot(made, { cover: 0.3 })
    const pictures: Readonly<Record<string, Picture>> = {
      preview: await frameOf(made.path, 5),
      clip: await frameOf(shot.clip, 5),
      cover: await pictureOf(shot.path),
      'EXIF thumbnail': await pictureOf(shot.thumbnail),
    }
    for (const [what, picture] of Object.entries(pictures)) {
      if (what !== 'EXIF thumbnail') assert.is(`${picture.width}x${picture.height}`, size, what)
      showsCorners(picture, corners, what)
    }
    const { streams } = await ffprobe(made.path)
    assert.is(streams[0]?.side_data_list, undefined, 'and nothing says that it must be turned')
  })
}

judged('a clip of an iPhone held upright is upright', async () => {
  const made = await tools.prepare(IPHONE_CLIP)
  assert.equal([made.width, made.height], [320, 568])
  await looksLikeIts(IPHONE_CLIP, made)
})

test.skipUnless(ANDROID_CLIP, 'the Debian package forensics-samples-files is not installed')(
  'a clip of an Android phone becomes a motion photo',
  async () => {
    const upload = ANDROID_CLIP ?? ''
    const made = await tools.prepare(upload)
    assert.ok(made.hasAudio)
    await looksLikeIts(upload, made)
  },
)

/** Compares with the pictures that ffmpeg itself shows, turned by its own rules. */
async function looksLikeIts(upload: string, made: Prepared): Promise<void> {
  const at = 0.5
  const png = await ffmpeg([
    ...['-ss', String(at), '-i', upload, '-frames:v', '1', '-vf', `scale=-2:${made.height}`],
    ...['-c:v', 'png', '-f', 'image2pipe', 'pipe:1'],
  ])
  const wanted = await pictureOf(png)
  assert.ok((await difference(await frameOf(made.path, at * 30), wanted)) < 5, 'the preview')
  const shot = await tools.shoot(made, { start: 0.2, end: 1.2, cover: at })
  assert.ok((await difference(await pictureOf(shot.path), wanted)) < 5, 'the cover')
}

async function turned(matrix: readonly number[]): Promise<string> {
  const upright = await media.make('upright.mp4', [
    ...['-f', 'lavfi', '-i', `color=0x808080:s=160x96:r=30:d=0.5,format=gbrp,${STORED}`],
    ...['-vf', 'scale=out_color_matrix=bt601,format=yuv420p', '-c:v', 'libx264', '-preset', 'ultrafast'],
  ])
  return media.patch(upright, 'turned.mp4', (bytes) => {
    const at = bytes.indexOf('tkhd') + 4 + 40
    const [a = 0, b = 0, c = 0, d = 0] = matrix
    const rows = [a, b, 0, c, d, 0, 0, 0, 0x4000]
    rows.forEach((value, index) => void bytes.writeInt32BE(value * 0x10000, at + index * 4))
    return undefined
  })
}

function showsCorners(picture: Picture, corners: Corners, where: string): void {
  const places = [
    [0.25, 0.25],
    [0.75, 0.25],
    [0.25, 0.75],
    [0.75, 0.75],
  ] as const
  places.forEach(([x, y], index) => {
    const name = corners[index] ?? 'red'
    sameColour(colourAt(picture, x, y), COLOURS[name], 12, `${where}, ${name} at ${x}, ${y}`)
  })
}

test.run()
