import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createFfmpeg, createSharpWebp } from '@lantern-room/adapters/ffmpeg'
import { createWorkFolders } from '@lantern-room/adapters/files'
import { createSystemClock } from '@lantern-room/adapters/system'
import { readMediaConfig } from '@lantern-room/media'
import { preparePreview } from '@lantern-room/media/make'
import { makeCoded, readNumbers } from '#support/media/codedPictures'
import { ffmpegPath, mediaFolderOfSuite, withEncoder } from '#support/media/media'
import { createMediaTools, refusalOf } from '#support/media/mediaTools'
import { WHOLE } from '#support/media/prepared'
import { HOSTILE_AVI, MP3 } from '#support/media/samples'
import { openPort } from '#support/process/openPort'
import { assert, suite } from '#support/runner/suite'

// Files that are not what they are called, and would have this machine read its own files or call others.

const test = suite('uploads that want something else', { timeoutMs: 60_000 })
const media = await mediaFolderOfSuite()
let runs = 0
const ffmpeg = createFfmpeg({ path: ffmpegPath })
const tools = createMediaTools(media, {
  ffmpeg: {
    ...ffmpeg,
    run: (task) => {
      runs += 1
      return ffmpeg.run(task)
    },
  },
})
const X264 = '-c:v libx264 -preset ultrafast -pix_fmt yuv420p'.split(' ')
const dependencies = {
  ffmpeg,
  webp: createSharpWebp(),
  clock: createSystemClock(),
  previewSize: 'fit',
  processors: 2,
  limits: { ...readMediaConfig({}).limits, maxInputSeconds: 60 },
} as const
const workFolders = createWorkFolders({ folder: media.path('beyond') })

// Whoever reads the secret shows its numbers; whoever calls the server is counted.
let secret = ''
let requests = 0
const server = createServer((_, response) => {
  requests += 1
  void readFile(secret).then((bytes) => response.end(bytes))
})
let address = ''

test.before(async () => {
  secret = await makeCoded(media, 'secret.ts', [30], [...X264, '-f', 'mpegts'])
  address = `http://127.0.0.1:${await openPort(server)}`
})
test.after(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

/** What ffmpeg does when nobody guards it: the numbers of the pictures that it shows. */
function unguarded(path: string, ...options: string[]): Promise<number[]> {
  const all = ['-protocol_whitelist', 'file,http,tcp,crypto,data,udp,rtp,concat,subfile', ...options]
  return readNumbers(path, all)
}

const playlist = (target: string) =>
  `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n#EXTINF:1.0,\n${target}\n#EXT-X-ENDLIST\n`
const manifest = (base: string) => `<?xml version="1.0"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT1S" profiles="urn:mpeg:dash:profile:isoff-main:2011">
<Period><AdaptationSet mimeType="video/mp2t"><Representation id="1" bandwidth="1000"><BaseURL>${base}</BaseURL></Representation></AdaptationSet></Period></MPD>`
const session =
  'v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 9 RTP/AVP 96\na=rtpmap:96 H264/90000\n'
const subtitles = '[Script Info]\n[Events]\nDialogue: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,words\n'

/** What each would make ffmpeg read, where it can be shown that it would. */
type Script = { text: () => string; reads?: readonly string[]; calls?: true }
const scripts: Readonly<Record<string, Script>> = {
  'an HLS playlist of a local file': {
    text: () => playlist(`file://${secret}`),
    reads: ['-f', 'hls', '-allowed_extensions', 'ALL'],
  },
  'an HLS playlist of another machine': {
    text: () => playlist(`${address}/secret.ts`),
    reads: ['-f', 'hls', '-allowed_extensions', 'ALL'],
    calls: true,
  },
  'a concat script': { text: () => `ffconcat version 1.0\nfile '${secret}'\n`, reads: ['-safe', '0'] },
  'a concat script without a heading': {
    text: () => `file '${secret}'\n`,
    reads: ['-f', 'concat', '-safe', '0'],
  },
  'a DASH manifest': { text: () => manifest(`${address}/secret.ts`) },
  'a session description': { text: () => session },
  subtitles: { text: () => subtitles },
  'a SubRip file': { text: () => '1\n00:00:00,000 --> 00:00:01,000\nwords\n' },
  'an SVG': { text: () => `<svg xmlns="http://www.w3.org/2000/svg"><image href="${address}/x.png"/></svg>` },
  'a web page': { text: () => `<!doctype html><video src="${address}/x.mp4"></video>` },
  words: { text: () => 'This is not a video at all. '.repeat(400) },
}
for (const [name, { text, reads, calls }] of Object.entries(scripts)) {
  test(`${name}, named .mp4, is refused without a program, and would be refused by ffmpeg, too`, async () => {
    const upload = await media.write('script.mp4', text())
    requests = 0
    if (reads) assert.is((await unguarded(upload, ...reads)).length, 30, 'it is a danger')
    if (calls) assert.ok(requests > 0, 'it is a danger')
    requests = 0

    runs = 0
    const { status, detail } = await refusalOf(tools.prepare(upload))
    assert.is(status, 400)
    assert.match(detail, 'not a video')
    assert.is(runs, 0, 'its first bytes are enough')

    // The second wall: what if its first bytes had looked like a video?
    for (const kind of ['video', 'animated-image'] as const) {
      const folder = await workFolders.open()
      const task = { folder, signal: new AbortController().signal, window: WHOLE }
      const second = await refusalOf(preparePreview(dependencies, { path: upload, kind }, task))
      await folder.dispose()
      assert.ok(second.status === 400 || second.status === 415, `${second.status}`)
    }
    assert.is(requests, 0)
  })
}

test('an AVI whose subtitles are a playlist that reads /etc/passwd is refused', async () => {
  const { status } = await refusalOf(tools.prepare(HOSTILE_AVI))
  assert.ok(status === 400 || status === 415)
})

test('an MP4 whose pictures lie in another file of this machine does not show them', async () => {
  const whole = await makeCoded(media, 'whole.mp4', [30], [...X264, '-g', '1'])
  const upload = await media.patch(whole, 'elsewhere.mp4', (bytes) => withReference(bytes, whole))
  const follow = ['-enable_drefs', '1', '-use_absolute_path', '1']
  assert.is((await unguarded(upload, ...follow)).length, 30, 'it is a danger')
  assert.is((await refusalOf(tools.prepare(upload))).status, 400)
})

test('what is a video but names other files in its metadata reads none', async () => {
  const title = `title=file://${secret}`
  const upload = await makeCoded(
    media,
    'named.mkv',
    [30],
    [...X264, '-metadata', title, '-attach', secret, '-metadata:s:t', 'mimetype=video/mp2t'],
  )
  requests = 0
  const made = await tools.prepare(upload)
  assert.is(made.frames, 30)
  assert.is(requests, 0)
  assert.not.ok((await readFile(made.path)).includes('secret.ts'))
})

const SOUND = ['-f', 'lavfi', '-i', 'sine=d=1']
const soundOnly: Readonly<Record<string, { file: string; args: readonly string[]; needs?: string }>> = {
  MP3: { file: 's.mp3', args: ['-c:a', 'libmp3lame'], needs: 'libmp3lame' },
  'MP3 without a tag': {
    file: 'bare.mp3',
    args: '-c:a libmp3lame -id3v2_version 0 -write_xing 0'.split(' '),
    needs: 'libmp3lame',
  },
  M4A: { file: 's.m4a', args: ['-c:a', 'aac'] },
  MP4: { file: 's.mp4', args: ['-c:a', 'aac'] },
  AAC: { file: 's.aac', args: ['-c:a', 'aac'] },
  'Ogg Vorbis': { file: 's.ogg', args: ['-c:a', 'libvorbis'], needs: 'libvorbis' },
  Opus: { file: 's.opus', args: ['-c:a', 'libopus'], needs: 'libopus' },
  WebM: { file: 's.webm', args: ['-c:a', 'libopus'], needs: 'libopus' },
  Matroska: { file: 's.mka', args: ['-c:a', 'aac'] },
  WAV: { file: 's.wav', args: [] },
  FLAC: { file: 's.flac', args: [] },
  WMA: { file: 's.wma', args: [] },
  AIFF: { file: 's.aiff', args: [] },
  AU: { file: 's.au', args: [] },
  'a transport stream': { file: 's.ts', args: ['-c:a', 'aac'] },
  AVI: { file: 's.avi', args: ['-c:a', 'pcm_s16le'] },
}
for (const [name, { file, args, needs }] of Object.entries(soundOnly)) {
  test.skipUnless(...withEncoder(needs))(`sound only is refused as such: ${name}`, async () => {
    const { status, detail } = await refusalOf(tools.prepare(await media.make(file, [...SOUND, ...args])))
    assert.is(status, 415)
    assert.match(detail, /sound without a picture|no moving picture/)
  })
}

test('sound with a picture of its cover is sound', async () => {
  const picture = await media.make('cover.png', '-f lavfi -i color=red:s=64x64:d=0.04 -frames:v 1'.split(' '))
  const both = [
    ...SOUND,
    ...['-i', picture],
    ...'-map 0 -map 1 -c:v png -disposition:v attached_pic'.split(' '),
  ]
  for (const file of ['album.mp4', 'album.mp3', 'album.m4a']) {
    const codec = file.endsWith('mp3') ? ['-c:a', 'libmp3lame'] : ['-c:a', 'aac']
    assert.is((await refusalOf(tools.prepare(await media.make(file, [...both, ...codec])))).status, 415, file)
  }
  assert.is((await refusalOf(tools.prepare(MP3))).status, 415)
})

test('a cover picture that comes before the video is not taken for it', async () => {
  const picture = media.path('cover.png')
  const order = '-map 1 -map 0 -c:v:0 png -disposition:v:0 attached_pic -c:v:1 libx264'.split(' ')
  const upload = await makeCoded(
    media,
    'order.mp4',
    [30],
    ['-i', picture, ...order, '-pix_fmt:v:1', 'yuv420p'],
  )
  const made = await tools.prepare(upload)
  assert.is((await readNumbers(made.path)).length, 30)
  assert.equal(await readNumbers((await tools.shoot(made, { cover: 0.5 })).path), [15])
})

test('a codec that nobody knows is refused as such', async () => {
  const mp4 = await makeCoded(media, 'known.mp4', [10], X264)
  const mkv = await makeCoded(media, 'known.mkv', [10], X264)
  const rename = (from: string, name: string, words: Readonly<Record<string, string>>) =>
    media.patch(from, name, (bytes) => {
      for (const [word, to] of Object.entries(words)) bytes.write(to, bytes.lastIndexOf(word), 'latin1')
      return undefined
    })
  for (const upload of [
    await rename(mp4, 'unknown.mp4', { avc1: 'zzzz', avcC: 'free' }),
    // Known by name, and no more.
    await rename(mp4, 'nameless.mp4', { avc1: 'vvc1', avcC: 'free' }),
    await rename(mkv, 'unknown.mkv', { 'V_MPEG4/ISO/AVC': 'V_MPEG4/ISO/XYZ' }),
  ]) {
    const { status, detail } = await refusalOf(tools.prepare(upload))
    assert.is(status, 415, upload)
    assert.match(detail, 'codec')
  }
})

/** Says in `dref` that the samples are in another file (a Macintosh alias), and empties the own ones. */
function withReference(bytes: Buffer, path: string): Buffer {
  const dref = bytes.indexOf('dref') - 4
  const moov = bytes.indexOf('moov') - 4
  const mdat = bytes.indexOf('mdat') - 4
  assert.ok(mdat < moov, 'nothing before the samples grows')
  const alias = Buffer.alloc(166 + path.length + (path.length % 2) + 4)
  alias.writeUInt32BE(alias.length, 0)
  alias.write('alis', 4)
  // After the header: 10 bytes, volume (28), 12, name (64), 16, two levels, 16; then records: 2 = absolute path.
  alias.writeUInt16BE(2, 162)
  alias.writeUInt16BE(path.length, 164)
  alias.write(path, 166)
  alias.writeInt16BE(-1, alias.length - 4)
  const old = bytes.readUInt32BE(dref)
  const grown = Buffer.concat([bytes.subarray(0, dref + 16), alias, bytes.subarray(dref + old)])
  for (const box of ['moov', 'trak', 'mdia', 'minf', 'dinf', 'dref']) {
    const at = grown.indexOf(box) - 4
    grown.writeUInt32BE(grown.readUInt32BE(at) + 16 + alias.length - old, at)
  }
  grown.fill(0, mdat + 8, moov)
  return grown
}

test.run()
