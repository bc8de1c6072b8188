import { linearOf } from '#support/media/gamut'
import { hdrPatches, type Transfer } from '#support/media/hdr'
import { ffprobe, mediaFolderOfSuite, withEncoder, withFfprobe } from '#support/media/media'
import { createMediaTools } from '#support/media/mediaTools'
import { type Colour, colourAt, frameOf, type Picture, pictureOf, sameColour } from '#support/media/pixels'
import { assert, suite } from '#support/runner/suite'

const test = suite('high dynamic range, transparency, interlacing, pixel shapes', { timeoutMs: 60_000 })
const media = await mediaFolderOfSuite()
const tools = createMediaTools(media)
const withX265 = test.skipUnless(...withEncoder('libx265'))

const HEIGHT = 64
/** Not brighter than the curve leaves alone, so that they must come out as they are. */
const COLOURS: readonly Colour[] = [
  [200, 40, 40],
  [40, 180, 60],
  [60, 70, 200],
  [200, 150, 120],
  [120, 120, 120],
  [30, 30, 30],
]
const WHITE = COLOURS.length
const PATCHES = [...COLOURS.map(linearOf), ...[1, 2, 4].map((light) => [light, light, light] as const)]

type HdrCase = { file: string; transfer: Transfer; codec: readonly string[]; needs: string }
const x265 = (format: string) => [
  ...'-c:v libx265 -preset ultrafast -x265-params log-level=none:lossless=1'.split(' '),
  ...['-pix_fmt', format],
]
const hdr: Readonly<Record<string, HdrCase>> = {
  'PQ, HEVC': { file: 'pq.mp4', transfer: 'smpte2084', codec: x265('yuv420p10le'), needs: 'libx265' },
  'HLG, HEVC': { file: 'hlg.mp4', transfer: 'arib-std-b67', codec: x265('yuv420p10le'), needs: 'libx265' },
  'PQ, HEVC with a mastering display of 4000 cd/m²': {
    file: 'mastered.mp4',
    transfer: 'smpte2084',
    codec: [
      ...x265('yuv420p10le').map((word) =>
        word.replace(
          'lossless=1',
          'lossless=1:hdr10=1:max-cll=4000,400:master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(40000000,50)',
        ),
      ),
    ],
    needs: 'libx265',
  },
  'PQ, 12 bit': { file: 'pq12.mp4', transfer: 'smpte2084', codec: x265('yuv444p12le'), needs: 'libx265' },
  'HLG, VP9': {
    file: 'hlg.webm',
    transfer: 'arib-std-b67',
    codec: '-c:v libvpx-vp9 -crf 5 -b:v 0 -deadline realtime -cpu-used 8 -pix_fmt yuv420p10le'.split(' '),
    needs: 'libvpx-vp9',
  },
  'PQ, AV1': {
    file: 'pq-av1.mp4',
    transfer: 'smpte2084',
    codec: ['-c:v', 'libaom-av1', '-cpu-used', '8', '-crf', '5', '-b:v', '0', '-pix_fmt', 'yuv420p10le'],
    needs: 'libaom-av1',
  },
  'PQ, RGB': {
    file: 'pq-rgb.mkv',
    transfer: 'smpte2084',
    codec: ['-vf', 'scale=in_color_matrix=bt2020:in_range=tv,format=gbrp10le', ...x265('gbrp10le')],
    needs: 'libx265',
  },
}
for (const [name, { file, transfer, codec, needs }] of Object.entries(hdr)) {
  test.skipUnless(...withEncoder(needs))(
    `${name}: colours stay, white is nearly white, highlights are not all one`,
    async () => {
      const upload = await media.make(
        file,
        [...hdrInput(transfer), ...codec, ...tags(transfer)],
        hdrPatches(PATCHES, transfer, HEIGHT, 5),
      )
      const made = await tools.prepare(upload)
      assert.is(made.original.hdrTransfer, transfer)
      const shot = await tools.shoot(made)
      for (const [what, picture] of [
        ['preview', await frameOf(made.path)],
        ['cover', await pictureOf(shot.path)],
        ['EXIF thumbnail', await pictureOf(shot.thumbnail)],
      ] as const) {
        showsPatches(picture, what)
      }
    },
  )
}

withX265('nothing in the preview says that it is of high dynamic range', async () => {
  const made = await tools.prepare(media.path('mastered.mp4'))
  const [video] = (await ffprobe(made.path)).streams
  assert.equal(
    [video?.color_space, video?.color_primaries, video?.color_transfer],
    ['bt709', 'bt709', 'bt709'],
  )
  assert.is(video?.side_data_list, undefined)
})

test.skipUnless(...withEncoder('libvpx-vp9'))(
  'odd sizes of high dynamic range keep them in the cover',
  async () => {
    const upload = await media.make(
      'odd.mkv',
      [
        ...hdrInput('smpte2084'),
        '-vf',
        'crop=161:37:0:0:exact=1',
        ...'-c:v libvpx-vp9 -lossless 1 -deadline realtime -cpu-used 8 -pix_fmt yuv420p10le'.split(' '),
        ...tags('smpte2084'),
      ],
      hdrPatches(PATCHES, 'smpte2084', HEIGHT, 5),
    )
    const made = await tools.prepare(upload)
    assert.equal([made.width, made.height], [162, 38])
    const cover = await pictureOf((await tools.shoot(made)).path)
    assert.equal([cover.width, cover.height], [161, 37])
    sameColour(colourAt(cover, 0.1, 0.5), [200, 40, 40], 10, 'the cover')
  },
)

const transparent: Readonly<Record<string, { file: string; codec: string; needs: string }>> = {
  VP9: {
    file: 'vp9.webm',
    codec: '-c:v libvpx-vp9 -pix_fmt yuva420p -auto-alt-ref 0 -crf 10 -b:v 0 -deadline realtime -cpu-used 8',
    needs: 'libvpx-vp9',
  },
  VP8: {
    file: 'vp8.webm',
    codec: '-c:v libvpx -pix_fmt yuva420p -auto-alt-ref 0 -b:v 2M -deadline realtime',
    needs: 'libvpx',
  },
  'ProRes 4444': {
    file: 'prores.mov',
    codec: '-c:v prores_ks -profile:v 4444 -pix_fmt yuva444p10le',
    needs: 'prores_ks',
  },
  'PNG in MOV': { file: 'png.mov', codec: '-c:v png -pix_fmt rgba', needs: 'png' },
}
for (const [name, { file, codec, needs }] of Object.entries(transparent)) {
  test.skipUnless(...withEncoder(needs))(
    `${name}: what is transparent is white, what is half so is lighter`,
    async () => {
      const upload = await media.make(file, [
        ...['-f', 'lavfi', '-i', 'color=0x204080:s=120x60:r=30:d=0.4,format=rgba'],
        ...[
          '-vf',
          "geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='if(lt(X,40),0,if(lt(X,80),128,255))',scale=out_color_matrix=bt601",
        ],
        ...codec.split(' '),
      ])
      const made = await tools.prepare(upload)
      assert.is(made.frames, 12)
      const shot = await tools.shoot(made, { cover: 0.2 })
      for (const [what, picture] of [
        ['preview', await frameOf(made.path, 6)],
        ['cover', await pictureOf(shot.path)],
      ] as const) {
        sameColour(colourAt(picture, 0.15, 0.5), [255, 255, 255], 4, `${what}, transparent`)
        sameColour(colourAt(picture, 0.5, 0.5), [143, 159, 191], 8, `${what}, half`)
        sameColour(colourAt(picture, 0.85, 0.5), [32, 64, 128], 8, `${what}, solid`)
      }
    },
  )
}

for (const [first, order] of [
  ['top', 'tff'],
  ['bottom', 'bff'],
] as const) {
  test(`interlaced, ${first} field first: a moving edge has no comb`, async () => {
    // A white bar on black that moves 4 pixels a field.
    const upload = await media.make(`${order}.mpg`, [
      ...['-f', 'lavfi', '-i', 'color=black:s=240x96:r=50:d=1.2'],
      '-vf',
      `geq=lum='if(between(X,4*N,4*N+24),235,16)':cb=128:cr=128,interlace=scan=${order}:lowpass=0`,
      ...'-c:v mpeg2video -q:v 2 -flags +ildct+ilme'.split(' '),
      ...['-field_order', order === 'tff' ? 'tt' : 'bb', '-top', order === 'tff' ? '1' : '0'],
    ])
    assert.ok(combs(await frameOf(upload, 10)) > 0.2, 'the upload has one')
    const made = await tools.prepare(upload)
    for (const frame of [9, 10, 11, 12, 13, 14, 15]) {
      assert.ok(
        combs(await frameOf(made.path, frame)) < 0.03,
        `preview, frame ${frame}: ${combs(await frameOf(made.path, frame))}`,
      )
    }
    for (const frame of [11, 12, 14]) {
      const shot = await tools.shoot(made, { cover: frame / 30 })
      const comb = combs(await pictureOf(shot.path))
      assert.ok(comb < 0.03, `cover, frame ${frame}: ${comb}`)
    }
  })
}

const shapes: readonly [sar: string, stored: string, preview: string, cover: string][] = [
  ['16/15', '720x576', '768x576', '768x576'],
  ['8/9', '720x480', '640x480', '640x480'],
  ['4/3', '1440x1080', '1280x720', '1920x1080'],
  ['2/1', '101x75', '202x76', '202x75'],
  ['1/1000', '96x64', '96x64', '96x64'],
  ['1000/1', '96x64', '96x64', '96x64'],
]
for (const [sar, stored, preview, cover] of shapes) {
  test(`pixels of shape ${sar}: ${stored} is shown as ${preview}`, async () => {
    const upload = await media.make('shape.mkv', [
      ...['-f', 'lavfi', '-i', `testsrc2=s=${stored}:r=10:d=0.2,format=yuv444p,setsar=${sar}`],
      ...['-c:v', 'libx264', '-preset', 'ultrafast'],
    ])
    const made = await tools.prepare(upload)
    assert.is(`${made.width}x${made.height}`, preview)
    const { width, height } = await pictureOf((await tools.shoot(made)).path)
    assert.is(`${width}x${height}`, cover)
    if (!withFfprobe[0]) return
    assert.is((await ffprobe(made.path)).streams[0]?.sample_aspect_ratio, '1:1')
  })
}

/** The share of places where two neighbouring rows differ and the rows beside them do not. */
function combs({ width, height, rgb }: Picture): number {
  const at = (x: number, y: number) => rgb[(y * width + x) * 3 + 1] ?? 0
  let found = 0
  let edges = 0
  for (let x = 0; x < width; x += 1) {
    for (let y = 2; y < height - 2; y += 2) {
      const isAlternating =
        Math.abs(at(x, y) - at(x, y + 1)) > 60 &&
        Math.abs(at(x, y) - at(x, y + 2)) < 30 &&
        Math.abs(at(x, y + 1) - at(x, y - 1)) < 30
      if (isAlternating) found += 1
      if (x > 0 && Math.abs(at(x, y) - at(x - 1, y)) > 60) edges += 1
    }
  }
  return found / Math.max(1, edges) / 4
}

function showsPatches(picture: Picture, where: string): void {
  const at = (index: number) => colourAt(picture, (index + 0.5) / PATCHES.length, 0.5)
  for (const [index, colour] of COLOURS.entries())
    sameColour(at(index), colour, 8, `${where}, patch ${index}`)
  const [white = 0, twice = 0, four = 0] = [0, 1, 2].map((index) => at(WHITE + index)[1])
  for (const index of [0, 1, 2]) {
    const [red, green, blue] = at(WHITE + index)
    assert.ok(Math.max(red, green, blue) - Math.min(red, green, blue) < 6, `${where}: grey stays grey`)
  }
  assert.ok(white >= 225 && white <= 245, `${where}: reference white is ${white}`)
  assert.ok(twice > white + 3 && four > twice + 2, `${where}: highlights ${white}, ${twice}, ${four}`)
}

function hdrInput(transfer: Transfer): string[] {
  const size = `${PATCHES.length * 32}x${HEIGHT}`
  return [
    ...'-f rawvideo -pix_fmt yuv444p10le'.split(' '),
    ...['-s', size, '-r', '30', '-color_trc', transfer, '-i', 'pipe:0'],
  ]
}

function tags(transfer: Transfer): string[] {
  return [
    ...'-color_range tv -colorspace bt2020nc -color_primaries bt2020'.split(' '),
    ...['-color_trc', transfer],
  ]
}

test.run()
