import { readFile } from 'node:fs/promises'
import { readMovie } from '@lantern-room/mp4'
import { ffmpeg, ffprobe, mediaFolderOfSuite, withEncoder, withFfprobe } from '#support/media/media'
import { createMediaTools } from '#support/media/mediaTools'
import { ANDROID_CLIP } from '#support/media/samples'
import { frequencyOf, loudness, SAMPLE_RATE, soundOf } from '#support/media/sound'
import { assert, suite } from '#support/runner/suite'

const test = suite('sound of previews', { timeoutMs: 60_000 })
const judged = test.skipUnless(...withFfprobe)
const media = await mediaFolderOfSuite()
const tools = createMediaTools(media)

const PICTURES = ['-f', 'lavfi', '-i', 'testsrc2=s=64x64:r=30:d=2']
const SINE = ['-f', 'lavfi', '-i', 'sine=f=440:r=48000:d=2']
const X264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']

/** Size and hash of each packet of a file's sound, without what transport streams wrap around it. */
async function soundPackets(path: string): Promise<string[]> {
  const copy = ['-map', '0:a:0', '-c', 'copy', '-bsf:a', 'aac_adtstoasc', '-f', 'framehash', '-hash', 'md5']
  const listing = await ffmpeg(['-i', path, ...copy, 'pipe:1'])
  return [...listing.toString().matchAll(/^0,(?:[^,]*,){3} *(\d+, [0-9a-f]{32})/gm)].map(
    ([, packet = '']) => packet,
  )
}

for (const [container, name, args] of [
  ['mp4', 'AAC-LC, stereo, 48 kHz', ['-ac', '2', '-ar', '48000']],
  ['mkv', 'AAC-LC, mono, 44.1 kHz', ['-ac', '1', '-ar', '44100']],
  ['ts', 'AAC-LC, mono, 8 kHz', ['-ac', '1', '-ar', '8000', '-b:a', '16k']],
] as const)
  test(`${name} in ${container} is copied bit for bit`, async () => {
    const sound = ['-c:a', 'aac', ...args]
    const upload = await media.make(`copied.${container}`, [...PICTURES, ...SINE, ...X264, ...sound])
    const made = await tools.prepare(upload)
    assert.ok(made.hasAudio)
    const packets = await soundPackets(made.path)
    assert.ok(packets.length > 10)
    assert.equal(packets, await soundPackets(upload))
    const heard = (await soundOf(made.path)).subarray(0.5 * SAMPLE_RATE, 1.5 * SAMPLE_RATE)
    assert.ok(Math.abs(frequencyOf(heard) - 440) < 2)
  })

const encoded: Readonly<
  Record<string, { file: string; args: readonly string[]; needs?: string; channels: number }>
> = {
  'AAC 5.1': { file: 'surround.mp4', args: ['-c:a', 'aac', '-ac', '6'], channels: 2 },
  'AAC at 96 kHz': { file: 'fast.mp4', args: ['-c:a', 'aac', '-ar', '96000', '-ac', '2'], channels: 2 },
  MP3: { file: 'mp3.mp4', args: ['-c:a', 'libmp3lame', '-ac', '2'], needs: 'libmp3lame', channels: 2 },
  Opus: {
    file: 'opus.webm',
    args: ['-c:a', 'libopus', '-ac', '2', '-c:v', 'libvpx', '-deadline', 'realtime'],
    needs: 'libopus',
    channels: 2,
  },
  Vorbis: {
    file: 'vorbis.ogv',
    args: ['-c:a', 'libvorbis', '-ac', '2', '-c:v', 'libtheora'],
    needs: 'libvorbis',
    channels: 2,
  },
  'PCM, mono': { file: 'pcm.mov', args: ['-c:a', 'pcm_s16be', '-ac', '1'], channels: 1 },
  'PCM of a camera, 8 bit, 11 kHz': {
    file: 'pcm.avi',
    args: ['-c:a', 'pcm_u8', '-ac', '1', '-ar', '11025'],
    channels: 1,
  },
  'AC-3 5.1': { file: 'ac3.mkv', args: ['-c:a', 'ac3', '-ac', '6'], channels: 2 },
  'AMR or what is left of it: ADPCM': {
    file: 'adpcm.avi',
    args: ['-c:a', 'adpcm_ms', '-ac', '2'],
    channels: 2,
  },
  WMA: { file: 'wma.wmv', args: ['-c:a', 'wmav2', '-ac', '2', '-c:v', 'wmv2'], channels: 2 },
  MP2: { file: 'mp2.mpg', args: ['-c:a', 'mp2', '-ac', '2', '-c:v', 'mpeg1video', '-r', '25'], channels: 2 },
}
for (const [name, { file, args, needs, channels }] of Object.entries(encoded)) {
  const isHere = withEncoder(needs)
  test.skipUnless(isHere[0] && withFfprobe[0], isHere[0] ? withFfprobe[1] : isHere[1])(
    `${name} becomes AAC at 48 kHz with ${channels} channel(s)`,
    async () => {
      const video = args.includes('-c:v') ? [] : X264
      const made = await tools.prepare(await media.make(file, [...PICTURES, ...SINE, ...video, ...args]))
      const sound = (await ffprobe(made.path)).streams.find(({ codec_type }) => codec_type === 'audio')
      assert.equal(
        [sound?.codec_name, sound?.profile, sound?.sample_rate, sound?.channels],
        ['aac', 'LC', '48000', channels],
      )
      const rate = Number(sound?.bit_rate)
      assert.ok(rate > 40_000 && rate < 150_000, `${rate} bit/s`)
      const samples = await soundOf(made.path)
      assert.ok(Math.abs(samples.length / SAMPLE_RATE - 2) < 0.1, `${samples.length / SAMPLE_RATE} s`)
      const middle = samples.subarray(0.5 * SAMPLE_RATE, 1.5 * SAMPLE_RATE)
      assert.ok(Math.abs(frequencyOf(middle) - 440) < 4, `${frequencyOf(middle)} Hz`)
      assert.ok(loudness(middle) > 0.02)
    },
  )
}

judged('without sound there is none', async () => {
  const made = await tools.prepare(await media.make('silent.mp4', [...PICTURES, ...X264]))
  assert.not.ok(made.hasAudio)
  assert.is((await ffprobe(made.path)).streams.length, 1)
  const movie = readMovie(await readFile(made.path)).movie
  assert.equal(
    movie?.tracks.map(({ kind }) => kind),
    ['video'],
  )
})

judged('of several pictures and sounds the first of each is taken, and nothing else', async () => {
  const subtitles = await media.write('words.srt', '1\n00:00:00,000 --> 00:00:01,000\nsecret words\n')
  const upload = await media.make('many.mkv', [
    ...PICTURES,
    ...[
      ...'-f lavfi -i color=red:s=32x32:d=2'.split(' '),
      ...SINE,
      ...'-f lavfi -i sine=f=2000:d=2'.split(' '),
      ...['-i', subtitles],
    ],
    ...[...'-map 0 -map 1 -map 2 -map 3 -map 4'.split(' '), ...X264, ...'-c:a aac -c:s srt'.split(' ')],
  ])
  const made = await tools.prepare(upload)
  const { streams } = await ffprobe(made.path)
  assert.equal(
    streams.map(({ codec_type }) => codec_type),
    ['video', 'audio'],
  )
  assert.equal([made.width, made.height], [64, 64])
  assert.ok(Math.abs(frequencyOf((await soundOf(made.path)).subarray(10_000, 60_000)) - 440) < 2)
})

test('AAC that is damaged in its middle is mended', async () => {
  const upload = await media.make('sound.mp4', [
    ...PICTURES,
    ...SINE,
    ...X264,
    ...'-c:a aac -movflags +faststart'.split(' '),
  ])
  const table = readMovie(await readFile(upload)).movie?.tracks.find(({ kind }) => kind === 'audio')?.samples
  const damaged = await media.patch(upload, 'damaged.mp4', (bytes) => {
    for (let packet = 20; packet < 40; packet += 2) {
      const at = table?.offsets[packet] ?? 0
      bytes.fill(0x55, at, at + (table?.sizes[packet] ?? 0))
    }
    return undefined
  })
  const made = await tools.prepare(damaged)
  assert.is(made.frames, 60)
  assert.ok(made.hasAudio)
  const samples = await soundOf(made.path)
  assert.ok(Math.abs(frequencyOf(samples.subarray(1.3 * SAMPLE_RATE, 1.8 * SAMPLE_RATE)) - 440) < 4)
})

judged('AAC whose description is missing is decoded and encoded anew', async () => {
  const upload = await media.make('described.mkv', [...PICTURES, ...SINE, ...X264, '-c:a', 'aac'])
  // Matroska: the CodecPrivate (63 A2) of the last track becomes a Void (EC) of the same length.
  const bare = await media.patch(upload, 'bare.mkv', (bytes) => {
    const at = bytes.lastIndexOf('63a2', bytes.indexOf('1f43b675', 0, 'hex'), 'hex')
    assert.ok(at > 0)
    bytes.writeUInt8(0xec, at)
    bytes.writeUInt8(bytes.readUInt8(at + 2) + 1, at + 1)
    return undefined
  })
  const made = await tools.prepare(bare)
  assert.ok(made.hasAudio)
  const [sound] = (await ffprobe(made.path)).streams.filter(({ codec_type }) => codec_type === 'audio')
  assert.equal([sound?.profile, sound?.sample_rate], ['LC', '48000'])
  const samples = await soundOf(made.path)
  assert.ok(Math.abs(frequencyOf(samples.subarray(0.5 * SAMPLE_RATE, 1.5 * SAMPLE_RATE)) - 440) < 4)
})

test('sound that nothing here can decode is left out', async () => {
  const mp4 = await media.make('sound.mp4', [...PICTURES, ...SINE, ...X264, '-c:a', 'aac'])
  const mkv = await media.make('sound.mkv', [...PICTURES, ...SINE, ...X264, '-c:a', 'aac'])
  const rename = (path: string, name: string, words: Readonly<Record<string, string>>) =>
    media.patch(path, name, (bytes) => {
      for (const [from, to] of Object.entries(words)) bytes.write(to, bytes.lastIndexOf(from), 'latin1')
      return undefined
    })
  const uploads = [
    // MPEG-H, which this ffmpeg knows by name only; and two that nobody knows.
    await rename(mp4, 'mpegh.mp4', { mp4a: 'mhm1', esds: 'free' }),
    await rename(mp4, 'unknown.mp4', { mp4a: 'zzzz', esds: 'free' }),
    await rename(mkv, 'unknown.mkv', { A_AAC: 'A_XYZ' }),
  ]
  for (const upload of uploads) {
    const made = await tools.prepare(upload)
    assert.ok(made.frames >= 60)
    assert.not.ok(made.hasAudio, upload)
  }
})

test.skipUnless(ANDROID_CLIP, 'the Debian package forensics-samples-files is not installed')(
  'the sound of a real phone is copied',
  async () => {
    const made = await tools.prepare(ANDROID_CLIP ?? '')
    const copied = await soundPackets(made.path)
    assert.ok(copied.length > 10)
    assert.equal(copied, (await soundPackets(ANDROID_CLIP ?? '')).slice(0, copied.length))
  },
)

test.run()
