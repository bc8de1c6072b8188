import { stat } from 'node:fs/promises'
import { deflateSync } from 'node:zlib'
import { crc32 } from '@lantern-room/formats/browser'
import sharp from 'sharp'
import { makeCoded, readNumbers } from '#support/media/codedPictures'
import { mediaFolderOfSuite } from '#support/media/media'
import { createMediaTools, type Prepared, refusalOf } from '#support/media/mediaTools'
import { assert, suite } from '#support/runner/suite'
import { childProcesses } from '../contract/ports/leaks'
import { costOf } from './programCost'

// Small files that unpack to gigabytes or to hours of work.

const test = suite('decompression bombs and endless work', { timeoutMs: 120_000 })
const media = await mediaFolderOfSuite()
const tools = createMediaTools(media)
const MEBIBYTE = 1024 * 1024

test.after.each(async () => {
  const running = (await childProcesses()).filter((child) => child.includes('ffmpeg'))
  assert.equal(running, [], 'no program runs on')
})

/** A picture of that size is refused, soon, and without having been unpacked. */
async function refusedUnopened(upload: string): Promise<void> {
  assert.ok((await stat(upload)).size < 4 * MEBIBYTE, 'a small file')
  const cost = await costOf(async () => {
    const { status, detail } = await refusalOf(tools.prepare(upload))
    assert.is(status, 413)
    assert.match(detail, /too large/)
  })
  assert.ok(cost.peakBytes < 400 * MEBIBYTE, `${cost.peakBytes} bytes`)
  assert.ok(cost.cpuSeconds < 10, `${cost.cpuSeconds} s`)
}

test('a GIF of 65535 × 65535', async () => {
  const path = await media.make('small.gif', ['-f', 'lavfi', '-i', 'testsrc2=s=16x16:r=10:d=0.5'])
  const upload = await media.patch(path, 'bomb.gif', (bytes) => {
    bytes.writeUInt16LE(65_535, 6)
    bytes.writeUInt16LE(65_535, 8)
    return undefined
  })
  await refusedUnopened(upload)
})

test('an APNG of 30000 × 30000', async () => {
  const side = 30_000
  const pixels = deflateSync(Buffer.alloc((Math.ceil(side / 8) + 1) * side), { level: 1 })
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header.writeUInt8(1, 8)
  const control = Buffer.alloc(26)
  control.writeUInt32BE(side, 4)
  control.writeUInt32BE(side, 8)
  control.writeUInt16BE(1, 20)
  control.writeUInt16BE(10, 22)
  const chunks = [
    ['IHDR', header],
    ['acTL', Buffer.from([0, 0, 0, 1, 0, 0, 0, 0])],
    ['fcTL', control],
    ['IDAT', pixels],
    ['IEND', Buffer.alloc(0)],
  ] as const
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  const png = Buffer.concat([signature, ...chunks.map(([type, body]) => pngChunk(type, body))])
  await refusedUnopened(await media.write('bomb.png', png))
})

test('an animated WebP of 16383 × 16383', async () => {
  const pictures = await Promise.all(
    ['#f00', '#0f0'].map((background) =>
      sharp({ create: { width: 16, height: 16, channels: 4, background } })
        .png()
        .toBuffer(),
    ),
  )
  const small = await sharp(pictures, { join: { animated: true } })
    .webp({ delay: [100, 100] })
    .toBuffer()
  const upload = await media.patch(await media.write('small.webp', small), 'bomb.webp', (bytes) => {
    const at = bytes.indexOf('VP8X') + 12
    bytes.writeUIntLE(16_382, at, 3)
    bytes.writeUIntLE(16_382, at + 3, 3)
    return undefined
  })
  await refusedUnopened(upload)
})

test('H.264 of 8192 × 4608, of which a black picture takes a few kilobytes', async () => {
  const black = ['-f', 'lavfi', '-i', 'color=black:s=8192x4608:r=30:d=0.03']
  const mp4 = await media.make('bomb.mp4', [...black, '-c:v', 'libx264', '-preset', 'ultrafast'])
  await refusedUnopened(mp4)
  await refusedUnopened(await media.make('bomb.mkv', ['-i', mp4, '-c', 'copy']))
})

test('a GIF of twenty thousand pictures is cut off after MAX_INPUT_SECONDS', async () => {
  const short = createMediaTools(media, { limits: { maxInputSeconds: 4 } })
  const path = await makeCoded(media, 'three.gif', [3, 50], ['-f', 'gif'])
  const upload = await media.patch(path, 'many.gif', (bytes) => {
    const last = bytes.lastIndexOf('21f904', undefined, 'hex')
    const picture = bytes.subarray(last, bytes.length - 1)
    return Buffer.concat([bytes.subarray(0, last), ...Array<Buffer>(20_000).fill(picture), Buffer.of(0x3b)])
  })
  let made: Prepared | undefined
  const cost = await costOf(async () => {
    made = await short.prepare(upload)
  })
  assert.is(made?.frames, 120)
  assert.ok(cost.cpuSeconds < 20, `${cost.cpuSeconds} s`)
  assert.ok(cost.peakBytes < 400 * MEBIBYTE, `${cost.peakBytes} bytes`)
})

test('an index that claims 268 million samples costs no gigabytes', async () => {
  const path = await makeCoded(media, 'ten.mp4', [10], ['-c:v', 'libx264', '-pix_fmt', 'yuv420p'])
  for (const box of ['stsz', 'stts']) {
    const upload = await media.patch(path, 'claims.mp4', (bytes) => {
      const at = bytes.indexOf(box) + 4
      if (box === 'stsz') {
        bytes.writeUInt32BE(64, at + 4)
        bytes.writeUInt32BE(0x0fffffff, at + 8)
      } else bytes.writeUInt32BE(0x0fffffff, at + 8)
      return undefined
    })
    const cost = await costOf(() =>
      tools.prepare(upload).then(
        () => undefined,
        (error: unknown) => refusalOf(Promise.reject(error)),
      ),
    )
    assert.ok(cost.cpuSeconds < 30, `${box}: ${cost.cpuSeconds} s`)
    assert.ok(cost.peakBytes < 4096 * MEBIBYTE, `${box}: ${cost.peakBytes} bytes`)
  }
})

test('36 megapixels are still read', async () => {
  const black = ['-f', 'lavfi', '-i', 'color=0x336699:s=7680x4320:r=10:d=0.2']
  const made = await tools.prepare(
    await media.make('8k.mp4', [...black, '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']),
  )
  assert.equal([made.width, made.height], [1280, 720])
  const shot = await tools.shoot(made)
  assert.equal([shot.read.frame?.width, shot.read.frame?.height], [7680, 4320])
})

test('an upload is read no further than MAX_INPUT_SECONDS', async () => {
  const short = createMediaTools(media, { limits: { maxInputSeconds: 1 } })
  const scene = 'testsrc2=s=1920x1080:r=60:d=0.5'
  const start = await media.make('start.mkv', ['-f', 'lavfi', '-i', scene, '-c:v', 'mpeg4', '-q:v', '31'])
  const upload = await media.make('long.mkv', ['-stream_loop', '7', '-i', start, '-c', 'copy'])
  let made: Prepared | undefined
  const cost = await costOf(async () => {
    made = await short.prepare(upload)
  })
  assert.is(made?.frames, 30)
  assert.ok(cost.cpuSeconds < 10, `${cost.cpuSeconds} s`)
  const numbers = await makeCoded(media, 'numbers.ts', [90], ['-c:v', 'libx264', '-pix_fmt', 'yuv420p'])
  const last = await short.prepare(numbers)
  assert.is((await readNumbers(last.path)).at(-1), 29)
})

/** Length, type, body, checksum. */
function pngChunk(type: string, body: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), body])
  const frame = Buffer.alloc(typed.length + 8)
  frame.writeUInt32BE(body.length, 0)
  typed.copy(frame, 4)
  frame.writeUInt32BE(crc32(typed), frame.length - 4)
  return frame
}

test.run()
