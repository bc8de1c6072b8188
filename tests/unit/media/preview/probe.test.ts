import { parseProbe, probeArgs } from '#internal/media/preview/probe'
import { assert, suite } from '#support/runner/suite'
import { words } from './ffmpegWords'

const test = suite('what ffmpeg says of an upload')

const colourOf = ({ space = 'bt2020nc', primaries = 'bt2020', transfer = 'bt709' }) =>
  `color_range:tv color_space:${space} color_primaries:${primaries} color_trc:${transfer}`
const AAC = 'Audio: aac (LC) (mp4a / 0x6134706D), 44100 Hz, mono, fltp, 61 kb/s'

test('size, length, colour of a phone', () => {
  const probe = parseProbe(words())
  assert.equal(probe.shown, { width: 320, height: 568 })
  assert.equal([probe.matrix, probe.hdrTransfer], ['bt709', undefined])
  assert.equal([probe.hasAlpha, probe.isInterlaced, probe.isSeekable], [false, false, true])
  assert.is(probe.durationSeconds, 62.2)
  assert.is(probe.audio, undefined, 'a title is no stream')
})

test('only a file whose first stream begins at 0 has the times that its tables say', () => {
  assert.is(parseProbe(words()).startsAtZero, true)
  for (const start of ['0.000001', '-0.021333', '10.000000', '0.066667'])
    assert.is(parseProbe(words({ start })).startsAtZero, false, start)
})

test('a newer ffmpeg says more, and is understood', () => {
  const picture =
    'duration:    512 duration_time:0.0333333 fmt:yuv420p10le cl:left sar:1/1 s:1920x1080 i:P iskey:1 type:I checksum:0'
  const probe = parseProbe(words({ picture }))
  assert.equal(probe.shown, { width: 1920, height: 1080 })
})

const shapes: readonly [sar: string, size: string, width: number][] = [
  ['16/15', '720x576', 768],
  ['8/9', '720x480', 640],
  ['0/1', '720x480', 720],
  ['1/1000', '720x480', 720],
  ['1000/1', '720x480', 720],
  ['0/0', '720x480', 720],
  ['10/1', '6000x6000', 6000],
  ['1/10', '3x100', 1],
]
for (const [sar, size, width] of shapes) {
  test(`pixels of shape ${sar} make ${size} ${width} wide`, () => {
    const probe = parseProbe(words({ picture: `fmt:yuv420p sar:${sar} s:${size} i:P` }))
    assert.is(probe.shown.width, width)
    assert.is(`${probe.shown.height}`, size.split('x')[1])
  })
}

test('the matrix is as tagged, or as players guess it', () => {
  const matrixOf = (space: string, size: string) =>
    parseProbe(words({ picture: `fmt:yuv420p sar:1/1 s:${size} i:P`, colour: colourOf({ space }) })).matrix
  assert.is(matrixOf('bt709', '64x64'), 'bt709')
  assert.is(matrixOf('bt2020nc', '64x64'), 'bt2020')
  for (const space of ['smpte170m', 'bt470bg']) assert.is(matrixOf(space, '1920x1080'), 'bt601')
  for (const size of ['1280x720', '720x1280']) assert.is(matrixOf('unknown', size), 'bt709')
  assert.is(matrixOf('unknown', '720x576'), 'bt601')
  assert.is(matrixOf('gbr', '64x64'), 'bt601')
})

test('primaries are told, and count as BT.709 where they are unknown or nearly the same', () => {
  const primaries = (name: string) => parseProbe(words({ colour: colourOf({ primaries: name }) })).primaries
  assert.is(primaries('smpte432'), 'smpte432')
  assert.is(primaries('bt2020'), 'bt2020')
  for (const name of ['bt709', 'unknown', 'smpte170m', 'bt470bg']) assert.is(primaries(name), 'bt709')
})

test('PQ and HLG are told, and only by the picture itself', () => {
  const transfer = (name: string) => parseProbe(words({ colour: colourOf({ transfer: name }) })).hdrTransfer
  assert.is(transfer('smpte2084'), 'smpte2084')
  assert.is(transfer('arib-std-b67'), 'arib-std-b67')
  assert.is(transfer('bt2020-10'), undefined)
  const titled = words().replace('qt  ', 'color_space:bt2020nc color_primaries:bt2020 color_trc:smpte2084')
  assert.is(parseProbe(titled).hdrTransfer, undefined)
})

test('transparency and fields', () => {
  const probe = (picture: string) => parseProbe(words({ picture }))
  for (const format of 'rgba bgra argb yuva420p yuva444p10le gbrap ya8 pal8 rgba64be'.split(' '))
    assert.ok(probe(`fmt:${format} sar:1/1 s:4x4 i:P`).hasAlpha, format)
  for (const format of ['rgb24', 'yuv420p', 'gbrp', 'gray', 'bgr0', 'yuvj420p', 'yuyv422'])
    assert.not.ok(probe(`fmt:${format} sar:1/1 s:4x4 i:P`).hasAlpha, format)
  assert.ok(probe('fmt:yuv420p sar:1/1 s:4x4 i:T').isInterlaced)
  assert.ok(probe('fmt:yuv420p sar:1/1 s:4x4 i:B').isInterlaced)
})

test('the decoder is named for WebM that says it has transparency, and for Theora', () => {
  const webm = (codec: string, mode: string, indent = '      ') =>
    parseProbe(
      words({ container: 'matroska,webm', streams: [`Video: ${codec}, yuv420p(tv), 64x64`] }).replace(
        '      handler_name    : Core Media',
        `${indent}alpha_mode      : ${mode}`,
      ),
    ).namedDecoder
  assert.is(webm('vp9 (Profile 0)', '1'), 'libvpx-vp9')
  assert.is(webm('vp8', '1'), 'libvpx')
  assert.is(webm('vp8', '1', '        '), 'libvpx', 'as version 7 writes it')
  assert.is(webm('vp8', '1', '    '), undefined, "not the file's own words")
  assert.is(webm('vp8', '0'), undefined)
  assert.is(webm('av1 (Main)', '1'), undefined)
  assert.is(webm('theora', '0'), 'theora', 'which is read by one thread')
  assert.is(parseProbe(words()).namedDecoder, undefined)
})

const sounds: readonly [stream: string, channels: number, isPlainAac: boolean][] = [
  [AAC, 1, true],
  ['Audio: aac (LC) (mp4a / 0x6134706D), 48000 Hz, stereo, fltp, 192 kb/s', 2, true],
  ['Audio: aac (LC), 48000 Hz, 5.1, fltp', 6, true],
  ['Audio: aac (LC), 96000 Hz, stereo, fltp', 2, false],
  ['Audio: aac (HE-AAC), 48000 Hz, stereo, fltp', 2, false],
  ['Audio: aac (HE-AACv2) (mp4a / 0x6134706D), 48000 Hz, stereo, fltp', 2, false],
  ['Audio: aac (Main), 48000 Hz, stereo, fltp', 2, false],
  ['Audio: opus, 48000 Hz, stereo, fltp', 2, false],
  ['Audio: pcm_s16le ([1][0][0][0] / 0x0001), 48000 Hz, 4 channels, s16, 3072 kb/s', 4, false],
  ['Audio: ac3, 48000 Hz, 5.1(side), fltp, 448 kb/s', 6, false],
]
for (const [stream, channels, isPlainAac] of sounds) {
  test(`${stream.slice(7, 60)}: ${channels} channels, ${isPlainAac ? 'may be copied' : 'is encoded anew'}`, () => {
    const audio = { stream: 0, channels, isPlainAac }
    assert.equal(parseProbe(words({ streams: ['Video: h264', stream] })).audio, { ...audio, id: 2 })
    assert.equal(parseProbe(words({ streams: [stream, 'Video: h264'] })).audio, { ...audio, id: 1 })
  })
}

test('sound of a codec that is not decoded is no sound; the first other one counts', () => {
  const unread = [
    'Audio: none (zzzz / 0x7A7A7A7A), 48000 Hz, 2 channels',
    'Audio: wavpack, 44100 Hz, mono',
    'Audio: aac_latm (LC) ([17][0][0][0] / 0x0011), 48000 Hz, stereo, fltp',
    'Audio: constructor, 44100 Hz, mono',
  ]
  for (const stream of unread) {
    assert.is(parseProbe(words({ streams: [stream] })).audio, undefined, stream)
    const { audio } = parseProbe(words({ streams: [stream, 'Video: h264', AAC] }))
    assert.equal(audio, { stream: 1, id: 3, channels: 1, isPlainAac: true }, stream)
  }
  const two = parseProbe(words({ streams: [AAC, 'Audio: opus, 48000 Hz, stereo, fltp'] }))
  assert.is(two.audio?.isPlainAac, true)
})

test('a program stream cannot be entered in its middle; without a length there is none', () => {
  const probe = parseProbe(words({ container: 'mpeg', duration: 'N/A' }))
  assert.equal([probe.isSeekable, probe.durationSeconds], [false, undefined])
  assert.is(parseProbe(words({ container: 'mpegts' })).isSeekable, true)
})

test('without a picture there is no probe', () => {
  assert.throws(() => parseProbe(words().replaceAll('Parsed_showinfo_0', 'other')), 'no picture')
  assert.throws(() => parseProbe(''), 'no picture')
})

test('the file is opened guarded, by one thread, and one picture is decoded', () => {
  const args = probeArgs('/data/upload', { stream: 0, decoder: 'libvpx', seekSeconds: 0 }).join(' ')
  assert.match(args, '-protocol_whitelist file,pipe -format_whitelist mov,mp4,')
  assert.match(args, '-max_pixels 36000000')
  assert.match(args, '-threads 1 -c:v libvpx -i file:/data/upload -map 0:V:0 -frames:v 1')
})

test.run()
