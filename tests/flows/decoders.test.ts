import { copyFile, readFile } from 'node:fs/promises'
import { createFfmpeg } from '@lantern-room/adapters/ffmpeg'
import { assembleMotionPhoto } from '@lantern-room/formats'
import { readMediaConfig } from '@lantern-room/media'
import { animate } from '@lantern-room/media/apart'
import type { Ffmpeg } from '@lantern-room/media/ports'
import { normalizeClip } from '@lantern-room/mp4/clip'
import { makeCoded, readNumbers } from '#support/media/codedPictures'
import { ffmpeg, ffmpegPath, film, mediaFolderOfSuite, withEncoder } from '#support/media/media'
import { createMediaTools, refusalOf } from '#support/media/mediaTools'
import { MAGICYUV } from '#support/media/samples'
import { runProgram } from '#support/process/commandLine'
import { assert, suite } from '#support/runner/suite'

// Codecs that no phone, camera, screen recorder or web animation writes never reach a decoder, as ffmpeg's own log shows.

const test = suite('codecs that are not read', { timeoutMs: 60_000 })
const media = await mediaFolderOfSuite()
const real = createFfmpeg({ path: ffmpegPath })
let log = ''
const telling: Ffmpeg = {
  ...real,
  async run(task) {
    const outcome = await real.run({ ...task, args: ['-loglevel', 'debug', ...task.args] })
    log += outcome.stderr
    return outcome
  },
}
const tools = createMediaTools(media, { ffmpeg: telling })

test.before.each(() => {
  log = ''
})

/** A decoder that was opened would have found the form of the pixels, or have said something, or have shown pictures. */
function neverOpened(decoder: string): void {
  const said = log.split('\n').filter((line) => line.startsWith(`[${decoder} @ `))
  // A small build lacks the decoder, all the better.
  assert.match(log, /Codec \(\w+\) not on whitelist|no decoder found for: /)
  for (const line of said) assert.match(line, `Codec (${decoder}) not on whitelist`)
  assert.not.match(log, /[1-9]\d* frames decoded/)
}

test('without a list, ffmpeg decodes MagicYUV, and its log tells', async () => {
  const task = { timeoutMs: 60_000, signal: new AbortController().signal }
  await telling.run({ ...task, args: ['-i', MAGICYUV, '-frames:v', '2', '-f', 'null', '-'] })
  assert.match(log, /Video: magicyuv, .*yuv420p/)
  assert.match(log, /[1-9]\d* frames decoded/)
})

async function remuxed(name: string): Promise<string> {
  await ffmpeg(['-i', MAGICYUV, '-c', 'copy', '-y', media.path(name)])
  return media.path(name)
}

async function renamed(name: string): Promise<string> {
  await copyFile(MAGICYUV, media.path(name))
  return media.path(name)
}

/** A motion photo as phones write it, whose clip is MagicYUV. */
async function photoWithClip(): Promise<string> {
  const shown = ['-f', 'lavfi', '-i', 'color=red:s=64x48', '-frames:v', '1']
  const cover = await readFile(await media.make('cover.jpg', shown))
  const photo = assembleMotionPhoto({
    cover,
    thumbnail: cover,
    clip: normalizeClip(await readFile(await remuxed('clip.mov'))),
    presentationTimestampUs: 0,
    profile: 'google',
    takenAt: { year: 2026, month: 3, day: 4, hour: 5, minute: 6, second: 7, offsetMinutes: 120 },
    software: 'Test',
  })
  return media.write('photo.jpg', photo)
}

const magicYuv: Readonly<Record<string, () => Promise<string>>> = {
  'in AVI': async () => MAGICYUV,
  'in AVI that is called MP4': () => renamed('renamed.mp4'),
  'in AVI that is called JPEG': () => renamed('renamed.jpg'),
  'in MKV': () => remuxed('magic.mkv'),
  'in MOV': () => remuxed('magic.mov'),
  'as the clip of a motion photo': photoWithClip,
}
for (const [where, make] of Object.entries(magicYuv)) {
  test(`MagicYUV ${where} is refused by name and never decoded`, async () => {
    const { status, detail } = await refusalOf(tools.prepare(await make()))
    assert.is(status, 415)
    assert.match(detail, /^The video uses the codec MagicYUV, which is not read here\. Convert it to H\.264/)
    neverOpened('magicyuv')
    assert.match(log, /Video: magicyuv, .*none, 128x96/)
  })
}

test('MagicYUV in the middle of a video, and as an animation of a photo, is refused alike', async () => {
  const window = { from: 0.4, to: 0.8, mustFit: false }
  assert.is((await refusalOf(tools.prepare(MAGICYUV, { window }))).status, 415)
  const { limits } = readMediaConfig({})
  const path = await remuxed('animated.mov')
  const made = animate({ ffmpeg: telling, limits }, path, 'gif', new AbortController().signal)
  const { status, detail } = await refusalOf(made)
  assert.is(status, 415)
  assert.match(detail, 'codec MagicYUV')
  neverOpened('magicyuv')
})

type Rare = readonly [file: string, args: string, named: string, decoder?: string]
const rare: readonly Rare[] = [
  ['a.avi', 'utvideo', 'Ut Video (utvideo)'],
  ['b.mkv', 'ffv1', 'FFV1'],
  ['c.avi', 'huffyuv -pix_fmt yuv422p', 'HuffYUV'],
  ['d.avi', 'snow -strict -2', 'Snow'],
  ['e.mov', 'cinepak', 'Cinepak'],
  ['f.avi', 'zmbv -pix_fmt bgr0', 'ZMBV'],
  ['g.flv', 'flashsv', 'Flash Screen Video (flashsv)'],
  ['h.flv', 'flashsv2', 'Flash Screen Video 2 (flashsv2)'],
  ['i.avi', 'rawvideo', 'uncompressed video (rawvideo)'],
  ['j.mov', 'rawvideo -pix_fmt uyvy422', 'uncompressed video (rawvideo)'],
  ['k.avi', 'asv1', 'ASV1'],
  ['l.mov', 'cfhd', 'CineForm (cfhd)'],
  ['m.mov', 'dnxhd -profile:v dnxhr_lb -s 256x128 -pix_fmt yuv422p', 'DNxHD'],
  ['n.mov', 'qtrle', 'QuickTime Animation (qtrle)'],
  ['o.avi', 'msvideo1', 'Microsoft Video 1 (msvideo1)'],
  ['p.mov', 'svq1', 'Sorenson Video (svq1)'],
  ['q.mkv', 'jpeg2000', 'JPEG 2000 (jpeg2000)'],
  ['r.avi', 'msmpeg4', 'DivX 3 (msmpeg4v3)', 'msmpeg4'],
  ['s.mkv', 'vc2 -strict -2 -pix_fmt yuv420p', 'Dirac'],
  ['t.mov', 'tiff', 'TIFF'],
  ['u.mov', 'v210', 'V210'],
  ['v.avi', 'speedhq', 'SPEEDHQ'],
]
for (const [file, args, named, other] of rare) {
  const [encoder = ''] = args.split(' ')
  const decoder = other ?? /\((\w+)\)$/.exec(named)?.[1] ?? named.toLowerCase()
  test.skipUnless(...withEncoder(encoder))(`${named} in ${file.slice(2)} is refused by name`, async () => {
    const scene = ['-f', 'lavfi', '-i', 'testsrc2=s=128x96:r=15:d=0.4']
    const path = await media.make(file, [...scene, '-c:v', ...args.split(' ')])
    const { status, detail } = await refusalOf(tools.prepare(path))
    assert.is(status, 415, detail)
    assert.match(detail, `The video uses the codec ${named}, which is not read here. Convert it to H.264`)
    neverOpened(decoder)
  })
}

test('streams of other codecs beside a good picture are left alone', async () => {
  const words = await media.write('words.srt', '1\n00:00:00,000 --> 00:00:01,000\nwords\n')
  const sounds = ['-f', 'lavfi', '-i', 'sine=d=1', '-f', 'lavfi', '-i', 'sine=frequency=880:d=1']
  const all = ['-i', words, '-map', '0', '-map', '1', '-map', '2', '-map', '3', '-attach', words]
  const codecs = ['-c:a:0', 'wavpack', '-c:a:1', 'aac', '-c:s', 'ass', '-metadata:s:t', 'mimetype=text/plain']
  const input = [...sounds, ...all, ...codecs, '-c:v', 'libx264']
  const made = await tools.prepare(await makeCoded(media, 'full.mkv', [30], input))
  assert.equal([...new Set(await readNumbers(made.path))], [...Array(30).keys()])
  assert.is(made.hasAudio, true, 'the first sound that is read is taken')
})

const silenced: readonly [file: string, codec: string][] = [
  ['w.mkv', 'wavpack'],
  ['x.mkv', 'tta'],
  ['y.mkv', 'dca -strict -2'],
  ['z.avi', 'adpcm_yamaha'],
]
for (const [file, codec] of silenced) {
  const [encoder = ''] = codec.split(' ')
  test.skipUnless(...withEncoder(encoder))(`sound in ${encoder} is left out, the picture stays`, async () => {
    const args = [...film('160x120', 1, 'sound'), '-c:a', ...codec.split(' ')]
    const made = await tools.prepare(await media.make(file, args))
    assert.equal([made.frames, made.hasAudio], [30, false])
  })
}

test('Dolby Vision whose colours no other decoder knows is refused, not shown green', async () => {
  const plain = await readFile('tests/fixtures/media/hev1.mp4')
  // What ffmpeg and phones read of it: profile 5, compatible with nothing; with 4 its base is HLG.
  const described = (compatibility: number) => {
    const content = Buffer.concat([Buffer.from('01000a0d', 'hex'), Buffer.alloc(20)])
    content[4] = compatibility << 4
    const box = Buffer.concat([Buffer.from([0, 0, 0, content.length + 8]), Buffer.from('dvcC'), content])
    const configuration = plain.indexOf('hvcC') - 4
    const end = configuration + plain.readUInt32BE(configuration)
    const file = Buffer.concat([plain.subarray(0, end), box, plain.subarray(end)])
    for (const type of ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd', 'hev1']) {
      const at = file.lastIndexOf(type, end) - 4
      file.writeUInt32BE(file.readUInt32BE(at) + box.length, at)
    }
    return file
  }
  const refusal = await refusalOf(tools.prepare(await media.write('dolby5.mp4', described(0))))
  assert.match(refusal.detail, /Dolby Vision of a profile without a picture for other decoders/)
  assert.is((await tools.prepare(await media.write('dolby84.mp4', described(4)))).frames > 0, true)
})

test('a clip that is silent because its sound cannot be decoded is said to be so', async () => {
  const coded = await media.make('coded.mov', [...film('64x48', 1, 'sound'), '-c:a', 'ac3'])
  const bytes = await readFile(coded)
  bytes.write('ac-4', bytes.indexOf('ac-3'), 'latin1')
  const unknown = await media.write('unknown.mov', bytes)
  const { hasAudio, isSoundLost } = await tools.prepare(unknown)
  assert.equal([hasAudio, isSoundLost], [false, true])
  const { stderr } = await runProgram([unknown, '-fo', media.path('silent.jpg')])
  assert.match(stderr, /The clip is silent: the video's sound is of a codec that cannot be decoded here\./)
  const muted = await runProgram([unknown, '--mute', '-fo', media.path('silent.jpg')])
  assert.not.match(muted.stderr, /silent:/)
  assert.is((await tools.prepare(coded)).isSoundLost, false)
})

test.run()
