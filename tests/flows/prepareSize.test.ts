import { readFile } from 'node:fs/promises'
import { readMovie } from '@lantern-room/mp4'
import { readBoxes } from '@lantern-room/mp4/boxes'
import {
  ffmpeg,
  ffprobe,
  frameTypesOf,
  mediaFolderOfSuite,
  type Packet,
  packetsOf,
  withFfprobe,
} from '#support/media/media'
import { createMediaTools } from '#support/media/mediaTools'
import { assert, suite } from '#support/runner/suite'

const test = suite('size and form of previews', { timeoutMs: 60_000 })
const judged = test.skipUnless(...withFfprobe)
const media = await mediaFolderOfSuite()
const tools = createMediaTools(media)
const sourceTools = createMediaTools(media, { previewSize: 'source' })

// The table of all of them is that of the unit; here are one of each way, for another program.
const sizes: readonly [shown: string, preview: string][] = [
  ['1920x1080', '1280x720'],
  ['641x359', '642x360'],
  ['1600x1200', '1104x828'],
  ['8000x400', '2704x136'],
  ['1x1', '2x2'],
  ['1x2000', '2x2000'],
]
for (const [shown, preview] of sizes) {
  judged(`${shown} becomes ${preview}, and fits level 3.1`, async () => {
    const upload = await media.make(`${shown}.mkv`, still(shown))
    const made = await tools.prepare(upload)
    assert.is(`${made.width}x${made.height}`, preview)
    const { streams } = await ffprobe(made.path)
    assert.is(`${streams[0]?.width}x${streams[0]?.height}`, preview)
    assert.ok(fitsLevel31(made.width, made.height))
    const shot = await tools.shoot(made)
    const clip = await ffprobe(shot.clip)
    assert.is(`${clip.streams[0]?.width}x${clip.streams[0]?.height}`, preview)
    assert.is(`${shot.read.frame?.width}x${shot.read.frame?.height}`, shown, 'the cover keeps its size')
  })
}

// 3 s of 720p noise would take far more than 14 Mbit/s at this quality.
judged('level 3.1 is kept truly: profile, 30 a second, groups of 14 and at most 14 Mbit/s', async () => {
  const noise = 'color=gray:s=1280x720:r=25:d=3,noise=c0s=100:c0f=t,format=yuv420p'
  const upload = await media.make('noise.mkv', [
    ...['-f', 'lavfi', '-i', noise, '-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '28'],
  ])
  const made = await tools.prepare(upload)
  const { streams } = await ffprobe(made.path)
  const [video] = streams
  assert.match(String(video?.profile), /^(Constrained )?Baseline$/)
  const facts = [video?.codec_name, video?.level, video?.pix_fmt, video?.has_b_frames]
  assert.equal(facts, ['h264', 31, 'yuv420p', 0])
  assert.equal([video?.r_frame_rate, video?.avg_frame_rate], ['30/1', '30/1'])
  assert.equal(
    [video?.color_space, video?.color_primaries, video?.color_transfer, video?.color_range],
    ['bt709', 'bt709', 'bt709', 'tv'],
  )
  assert.is(await frameTypesOf(made.path), 'IPPPPPPPPPPPPP'.repeat(7).slice(0, 90))
  const bytes = await readFile(made.path)
  const { movie } = readMovie(bytes)
  assert.equal(
    readBoxes(bytes)?.map(({ type }) => type),
    ['ftyp', 'moov', 'free', 'mdat'],
  )
  assert.equal([movie?.tracks[0]?.samples.count, movie?.tracks[0]?.durationSeconds], [90, 3])
  assert.equal(await parameterSets(made.path), [1, 1])
  const packets = await packetsOf(made.path)
  assert.equal(
    packets.map(({ isKey }) => isKey),
    Array.from({ length: 90 }, (_, index) => index % 14 === 0),
  )
  assert.ok(packets.every(({ pts, dts }, index) => pts === dts && Math.abs(pts - index / 30) < 1e-5))
  assertBufferHolds(packets, { bitsPerSecond: 14e6, bufferBits: 14e6 })
})

judged('PREVIEW_SIZE=source keeps the size', async () => {
  const upload = await media.make('large.mkv', still('1921x1079'))
  const made = await sourceTools.prepare(upload)
  assert.equal([made.width, made.height], [1922, 1080])
  const { streams } = await ffprobe(made.path)
  assert.equal([streams[0]?.width, streams[0]?.height, streams[0]?.level], [1922, 1080, 31])
})

/** H.264, table A-1: 3,600 macroblocks in a frame, and a side of at most the root of eight times as many. */
function fitsLevel31(width: number, height: number): boolean {
  const [columns, rows] = [Math.ceil(width / 16), Math.ceil(height / 16)]
  return columns * rows <= 3600 && Math.max(columns, rows) <= Math.sqrt(8 * 3600)
}

/** How many different sequence and picture parameter sets a video has. */
async function parameterSets(path: string): Promise<[number, number]> {
  const copy = ['-c', 'copy', '-bsf:v', 'h264_mp4toannexb', '-f', 'h264', 'pipe:1']
  const stream = await ffmpeg(['-i', path, ...copy])
  const units = stream.toString('latin1').split(/\0?\0\0\x01/)
  const kinds = (kind: number) => new Set(units.filter((unit) => (unit.charCodeAt(0) & 31) === kind)).size
  return [kinds(7), kinds(8)]
}

/** The decoder's buffer of H.264, annex C: filled at a constant rate, emptied by a frame at a time, never below 0. */
function assertBufferHolds(
  packets: readonly Packet[],
  { bitsPerSecond, bufferBits }: { bitsPerSecond: number; bufferBits: number },
): void {
  let level = bufferBits
  packets.forEach(({ bytes }, index) => {
    level -= bytes * 8
    assert.ok(level >= 0, `the buffer is empty at frame ${index}`)
    level = Math.min(bufferBits, level + bitsPerSecond / 30)
  })
  const rate = (packets.reduce((sum, { bytes }) => sum + bytes * 8, 0) * 30) / packets.length
  assert.ok(rate > 10e6, `the picture was meant to need all of it, not ${rate} bit/s`)
}

function still(size: string): string[] {
  const scene = `testsrc2=s=${size}:r=10:d=0.2,format=yuv444p`
  return ['-f', 'lavfi', '-i', scene, ...'-c:v libx264 -preset ultrafast -qp 20'.split(' ')]
}

test.run()
