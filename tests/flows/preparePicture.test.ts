import { mediaFolderOfSuite, withEncoder } from '#support/media/media'
import { createMediaTools } from '#support/media/mediaTools'
import { type Colour, colourAt, frameOf, type Picture, pictureOf, sameColour } from '#support/media/pixels'
import { assert, suite } from '#support/runner/suite'

// Whatever the container, the codec and the form of the pixels: the preview and the cover show the same colours.

const test = suite('pictures of any container and codec', { timeoutMs: 60_000 })
const media = await mediaFolderOfSuite()
const tools = createMediaTools(media)

const RED: Colour = [200, 30, 30]
const GREEN: Colour = [30, 180, 40]
const BLUE: Colour = [40, 50, 200]
const GREY: Colour = [128, 128, 128]
const hex = (colour: Colour) => `0x${colour.map((value) => value.toString(16).padStart(2, '0')).join('')}`

/** Four quarters: red, green / blue, grey. */
function quarters(width = 160, height = 96, seconds = 0.5, rate = 25): string[] {
  const [w, h] = [width / 2, height / 2]
  const box = (x: number, y: number, colour: Colour) =>
    `drawbox=x=${x}:y=${y}:w=${w}:h=${h}:t=fill:color=${hex(colour)}`
  const boxes = [box(0, 0, RED), box(w, 0, GREEN), box(0, h, BLUE), box(w, h, GREY)].join(',')
  return ['-f', 'lavfi', '-i', `color=black:s=${width}x${height}:r=${rate}:d=${seconds},format=gbrp,${boxes}`]
}

function showsQuarters(picture: Picture, tolerance: number, where: string): void {
  sameColour(colourAt(picture, 0.25, 0.25), RED, tolerance, `${where}, red`)
  sameColour(colourAt(picture, 0.75, 0.25), GREEN, tolerance, `${where}, green`)
  sameColour(colourAt(picture, 0.25, 0.75), BLUE, tolerance, `${where}, blue`)
  sameColour(colourAt(picture, 0.75, 0.75), GREY, tolerance, `${where}, grey`)
}

const toMatrix = (matrix: string, range = 'tv') => `scale=out_color_matrix=${matrix}:out_range=${range}`
const tagged = (matrix: string) => ['-colorspace', matrix, '-color_primaries', 'bt709', '-color_trc', 'bt709']

type Case = {
  readonly file: string
  readonly codec: readonly string[]
  readonly needs?: string
  /** Of 255. Old codecs are coarse. */
  readonly tolerance?: number
}
const in709 = (format: string) => ['-vf', `${toMatrix('bt709')},format=${format}`]
const in601 = (format: string) => ['-vf', `${toMatrix('bt601')},format=${format}`]
const x264 = (...more: string[]) => ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '12', ...more]

const cases: Readonly<Record<string, Case>> = {
  'MP4, H.264, BT.709': { file: '709.mp4', codec: [...in709('yuv420p'), ...x264(...tagged('bt709'))] },
  'MP4, H.264, BT.601': { file: '601.mp4', codec: [...in601('yuv420p'), ...x264(...tagged('smpte170m'))] },
  'MP4, H.264, untagged and small': { file: 'untagged.mp4', codec: [...in601('yuv420p'), ...x264()] },
  'MP4, H.264, full range': {
    file: 'full.mp4',
    codec: [
      '-vf',
      `${toMatrix('bt709', 'pc')},format=yuv420p`,
      ...x264('-color_range', 'pc', ...tagged('bt709')),
    ],
  },
  'MP4, H.264 4:2:2, 10 bit': {
    file: '422.mp4',
    codec: [...in709('yuv422p10'), ...x264(...tagged('bt709'))],
  },
  'MP4, H.264 RGB': {
    file: 'rgb.mp4',
    codec: ['-c:v', 'libx264rgb', '-preset', 'ultrafast', '-crf', '12', '-pix_fmt', 'rgb24'],
    needs: 'libx264rgb',
  },
  'MP4, HEVC, 10 bit': {
    file: 'hevc.mp4',
    codec: [
      ...in709('yuv420p10'),
      ...'-c:v libx265 -preset ultrafast -crf 12 -x265-params log-level=none'.split(' '),
      ...tagged('bt709'),
    ],
    needs: 'libx265',
  },
  'MP4, AV1': {
    file: 'av1.mp4',
    codec: [
      ...in709('yuv420p'),
      ...'-c:v libaom-av1 -cpu-used 8 -crf 12 -b:v 0'.split(' '),
      ...tagged('bt709'),
    ],
    needs: 'libaom-av1',
  },
  'WebM, VP8': {
    file: 'vp8.webm',
    codec: [...in601('yuv420p'), ...'-c:v libvpx -b:v 2M -deadline realtime'.split(' ')],
    needs: 'libvpx',
  },
  'WebM, VP9': {
    file: 'vp9.webm',
    codec: [
      ...in709('yuv420p'),
      ...'-c:v libvpx-vp9 -crf 12 -b:v 0 -deadline realtime -cpu-used 8'.split(' '),
      ...tagged('bt709'),
    ],
    needs: 'libvpx-vp9',
  },
  'AVI, MPEG-4 part 2': { file: 'xvid.avi', codec: [...in601('yuv420p'), '-c:v', 'mpeg4', '-q:v', '2'] },
  'AVI, MJPEG': {
    file: 'mjpeg.avi',
    codec: ['-vf', `${toMatrix('bt601', 'pc')},format=yuvj422p`, '-c:v', 'mjpeg', '-q:v', '2'],
  },
  FLV: { file: 'flash.flv', codec: [...in601('yuv420p'), '-c:v', 'flv', '-q:v', '2'] },
  'Ogg, Theora': {
    file: 'theora.ogv',
    // A little noise, because of pictures that are all the same some versions store only the first.
    codec: [...in601('yuv420p,noise=c0s=6:c0f=t'), ...'-c:v libtheora -q:v 10'.split(' ')],
    needs: 'libtheora',
    tolerance: 8,
  },
  WMV: { file: 'media.wmv', codec: [...in601('yuv420p'), '-c:v', 'wmv2', '-q:v', '2'] },
  'MPEG program stream': {
    file: 'program.mpg',
    codec: [...in601('yuv420p'), '-c:v', 'mpeg2video', '-q:v', '2'],
  },
  'Blu-ray transport stream': {
    file: 'disc.m2ts',
    codec: [...in709('yuv420p'), ...x264(...tagged('bt709')), '-mpegts_m2ts_mode', '1'],
  },
  '3GP, H.263': {
    file: 'phone.3gp',
    codec: ['-vf', `scale=176:144:out_color_matrix=bt601,format=yuv420p`, '-c:v', 'h263', '-q:v', '2'],
  },
  'MOV, ProRes': {
    file: 'prores.mov',
    codec: [...in709('yuv422p10,setparams=colorspace=bt709'), '-c:v', 'prores_ks'],
  },
  'MOV, PNG': { file: 'png.mov', codec: ['-c:v', 'png', '-pix_fmt', 'rgb24'] },
}

for (const [name, { file, codec, needs, tolerance = 5 }] of Object.entries(cases)) {
  test.skipUnless(...withEncoder(needs))(`${name}: preview and cover show its colours`, async () => {
    const made = await tools.prepare(await media.make(file, [...quarters(), ...codec]))
    assert.ok(made.frames >= 14 && made.frames <= 16, `${made.frames} frames`)
    showsQuarters(await frameOf(made.path), tolerance, 'the preview')
    const shot = await tools.shoot(made, { cover: 0.2 })
    showsQuarters(await pictureOf(shot.path), tolerance, 'the cover')
  })
}

test('clip, thumbnail and EXIF thumbnail show the colours of the preview', async () => {
  const made = await tools.prepare(await media.make('all.mov', [...quarters(), '-c:v', 'png']))
  const shot = await tools.shoot(made)
  showsQuarters(await frameOf(shot.clip), 4, 'the clip')
  showsQuarters(await pictureOf(shot.thumbnail), 8, 'the EXIF thumbnail')
  showsQuarters(await pictureOf(await tools.thumbnail(made, 5)), 4, 'the thumbnail')
  showsQuarters(await pictureOf(await tools.thumbnail(made, 5, 64)), 4, 'the small thumbnail')
})

test('high definition without tags is read as BT.709, scaled or not', async () => {
  for (const size of ['1280x720', '1920x1080']) {
    const [width = 0, height = 0] = size.split('x').map(Number)
    const upload = await media.make(`hd${size}.mp4`, [
      ...quarters(width, height, 0.1),
      ...[...in709('yuv420p'), ...x264()],
    ])
    const made = await tools.prepare(upload)
    showsQuarters(await frameOf(made.path), 4, 'the preview')
    showsQuarters(await pictureOf((await tools.shoot(made)).path), 4, 'the cover')
  }
})

test.run()
