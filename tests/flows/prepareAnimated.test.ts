import { crc32 } from '@lantern-room/formats/browser'
import sharp from 'sharp'
import { makeCoded, makeCodedWebp, readNumbers } from '#support/media/codedPictures'
import { mediaFolderOfSuite, withEncoder } from '#support/media/media'
import { createMediaTools, refusalOf } from '#support/media/mediaTools'
import { colourAt, difference, frameOf, pictureOf, sameColour } from '#support/media/pixels'
import { REAL_APNG, REAL_GIF, WITH_REAL_ANIMATIONS } from '#support/media/samples'
import { assert, suite } from '#support/runner/suite'

const test = suite('animated images', { timeoutMs: 60_000 })
const media = await mediaFolderOfSuite()
const tools = createMediaTools(media)

/** A GIF of numbered pictures with these delays, in hundredths of a second. */
async function gif(name: string, delays: readonly number[]): Promise<string> {
  const made = await makeCoded(media, `plain-${name}`, [delays.length, 10], ['-f', 'gif'])
  let index = 0
  // Graphic control extension: 21 F9 04, flags, delay (little endian), transparent index, 00.
  return media.patch(made, name, (bytes) => {
    for (let at = bytes.indexOf('21f904', 0, 'hex'); at >= 0; at = bytes.indexOf('21f904', at + 8, 'hex')) {
      bytes.writeUInt16LE(delays[index] ?? 0, at + 4)
      index += 1
    }
    assert.is(index, delays.length)
    return undefined
  })
}

/** The number that stands at each frame of the preview when picture i stands for `seconds[i]`. */
function schedule(seconds: readonly number[]): number[] {
  let end = 0
  let shown = 0
  return seconds.flatMap((length, number) => {
    end += length
    const count = Math.round(end * 30) - shown
    shown += count
    return Array.from({ length: count }, () => number)
  })
}

test('a GIF is exact in time, the last delay included', async () => {
  const delays = [10, 50, 3, 100, 20, 130]
  const made = await tools.prepare(await gif('delays.gif', delays))
  assert.equal(await readNumbers(made.path), schedule(delays.map((delay) => delay / 100)))
  assert.is(made.frames, 94)
})

test('delays of 0 and 1 hundredth count as 10, as browsers do', async () => {
  for (const delay of [0, 1]) {
    const made = await tools.prepare(await gif(`delay${delay}.gif`, Array(7).fill(delay)))
    assert.equal(await readNumbers(made.path), schedule(Array(7).fill(0.1)))
  }
  const made = await tools.prepare(await gif('delay2.gif', Array(20).fill(2)))
  assert.is(made.frames, 12, '2 hundredths are meant')
})

test('a GIF of one picture lasts a second, or its own longer delay', async () => {
  for (const [delay, frames] of [
    [0, 30],
    [10, 30],
    [250, 75],
  ] as const) {
    const made = await tools.prepare(await gif(`one${delay}.gif`, [delay]))
    assert.equal(await readNumbers(made.path), Array(frames).fill(0))
  }
})

test('the cover is the picture that stands at its time', async () => {
  const delays = [10, 50, 3, 100, 20, 130]
  const made = await tools.prepare(await gif('cover.gif', delays))
  const shown = schedule(delays.map((delay) => delay / 100))
  for (const frame of [0, 2, 3, 17, 18, 19, 30, 48, 49, 55, 93]) {
    const shot = await tools.shoot(made, { cover: frame / 30 })
    assert.equal(await readNumbers(shot.path), [shown[frame]], `frame ${frame}`)
  }
})

test('what is transparent in a GIF is white, in preview and cover', async () => {
  const upload = await media.make('holes.gif', [
    ...['-f', 'lavfi', '-i', 'color=red:s=100x60:r=10:d=0.5,format=rgba'],
    ...[
      '-vf',
      "geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='if(lt(X,50),0,255)',split[a][b];[a]palettegen=reserve_transparent=1[p];[b][p]paletteuse",
    ],
  ])
  await whiteAndRed(upload)
})

test.skipUnless(...withEncoder('apng'))(
  'an APNG is exact in time, and white where it is transparent',
  async () => {
    const made = await tools.prepare(
      await makeCoded(media, 'numbers.apng', [12, 8], ['-plays', '0', '-f', 'apng']),
    )
    assert.equal(await readNumbers(made.path), schedule(Array(12).fill(1 / 8)))
    assert.equal(await readNumbers((await tools.shoot(made, { cover: 0.5 })).path), [4])

    const holes = await media.make('holes.apng', [
      ...['-f', 'lavfi', '-i', 'color=red:s=100x60:r=10:d=0.5,format=rgba'],
      ...['-vf', "geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='if(lt(X,50),0,255)'", '-f', 'apng'],
    ])
    await whiteAndRed(holes)
  },
)

test.skipUnless(...WITH_REAL_ANIMATIONS)('real ones: a GIF and an APNG with soft edges', async () => {
  const made = await tools.prepare(REAL_GIF)
  const { delay = [], width, pageHeight } = await sharp(REAL_GIF, { pages: -1 }).metadata()
  const seconds = delay.reduce((sum, one) => sum + (one <= 10 ? 100 : one), 0) / 1000
  assert.is(made.frames, Math.round(seconds * 30))
  const cover = await pictureOf((await tools.shoot(made)).path)
  assert.equal([cover.width, cover.height], [width, pageHeight])

  const rolled = await tools.prepare(REAL_APNG)
  const first = sharp(REAL_APNG).flatten({ background: '#fff' })
  const wanted = await pictureOf(await first.png().toBuffer())
  assert.ok((await difference(await frameOf(rolled.path), wanted)) < 3)
  const shot = await tools.shoot(rolled)
  assert.ok((await difference(await pictureOf(shot.path), wanted)) < 3)
  sameColour(colourAt(await pictureOf(shot.path), 0.01, 0.01), [255, 255, 255], 3, 'its corner')
})

test.skipUnless(...withEncoder('libaom-av1'))('an animated AVIF is a video', async () => {
  const codec = ['-c:v', 'libaom-av1', '-cpu-used', '8', '-crf', '20', '-pix_fmt', 'yuv420p']
  const upload = await makeCoded(media, 'numbers.avif', [20, 10], [...codec, '-f', 'avif'])
  const made = await tools.prepare(upload)
  assert.equal(await readNumbers(made.path), schedule(Array(20).fill(0.1)))
  assert.equal(await readNumbers((await tools.shoot(made, { cover: 1.25 })).path), [12])
})

test('an animated WebP is exact in time, and its cover is the right picture', async () => {
  const delays = [100, 500, 40, 1000, 200]
  const made = await tools.prepare(await makeCodedWebp(media, 'numbers.webp', delays))
  const shown = schedule(delays.map((delay) => delay / 1000))
  assert.equal(await readNumbers(made.path), shown)
  for (const frame of [0, 2, 3, 18, 19, 20, 54]) {
    const shot = await tools.shoot(made, { cover: frame / 30 })
    assert.equal(await readNumbers(shot.path), [shown[frame]], `frame ${frame}`)
  }
})

test('a WebP with a hole is white there', async () => {
  const red = { create: { width: 100, height: 60, channels: 4, background: '#ff0000' } } as const
  const hole = { create: { width: 50, height: 60, channels: 4, background: '#000' } } as const
  const holed = sharp(red).composite([
    { input: await sharp(hole).png().toBuffer(), left: 0, top: 0, blend: 'dest-out' },
  ])
  const picture = await holed.png().toBuffer()
  const other = await holed.clone().linear(0.99, 0).png().toBuffer()
  const twice = sharp([picture, other], { join: { animated: true } })
  const animated = await twice.webp({ lossless: true, delay: [500, 500] }).toBuffer()
  const upload = await media.write('holed.webp', animated)
  const made = await whiteAndRed(upload)
  assert.is(made.frames, 30)
})

test('a still picture is refused, and told so', async () => {
  const image = sharp({ create: { width: 64, height: 64, channels: 3, background: '#08f' } })
  const stills = {
    'still.png': await image.png().toBuffer(),
    'still.jpg': await image.jpeg().toBuffer(),
    'still.webp': await image.webp().toBuffer(),
    'profile.webp': await image.webp().withIccProfile('p3').toBuffer(),
    'profile.png': await withChunk(await image.png().toBuffer(), 5000),
    'still.avif': await image.avif({ effort: 0 }).toBuffer(),
  }
  for (const [name, bytes] of Object.entries(stills)) {
    const { status, detail } = await refusalOf(tools.prepare(await media.write(name, bytes)))
    assert.is(status, 400, name)
    assert.match(detail, 'still image')
  }
})

/** A PNG with a long text in front of its pixels. */
async function withChunk(png: Buffer, length: number): Promise<Buffer> {
  const chunk = Buffer.alloc(12 + length)
  chunk.writeUInt32BE(length)
  chunk.write('tEXt', 4, 'latin1')
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + length)), 8 + length)
  return Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)])
}

test('an APNG with delays of 0 is shown as a GIF with them, and its cover is the right picture', async () => {
  const made = await tools.prepare(
    await media.patch(await animatedPng('zero.apng', 6), 'zero-delays.apng', (bytes) => {
      for (let at = bytes.indexOf('fcTL'); at > 0; at = bytes.indexOf('fcTL', at + 4)) {
        bytes.writeUInt16BE(0, at + 4 + 20)
        bytes.writeUInt32BE(crc32(bytes.subarray(at, at + 30)), at + 30)
      }
      return bytes
    }),
  )
  assert.equal(await readNumbers(made.path), schedule(Array(6).fill(0.1)))
  assert.equal(await readNumbers((await tools.shoot(made, { cover: 0.45 })).path), [4])
})

function animatedPng(name: string, count: number): Promise<string> {
  return makeCoded(media, name, [count, 5], ['-pix_fmt', 'gray', '-f', 'apng'])
}

test('a broken animation is refused', async () => {
  for (const path of [
    await gif('whole.gif', [10, 10]),
    await makeCodedWebp(media, 'whole.webp', [100, 100]),
  ]) {
    const broken = await media.patch(path, 'broken', (bytes) => bytes.subarray(0, 60))
    assert.is((await refusalOf(tools.prepare(broken))).status, 400)
  }
})

async function whiteAndRed(upload: string) {
  const made = await tools.prepare(upload)
  const shot = await tools.shoot(made)
  const pictures = { preview: await frameOf(made.path, 5), cover: await pictureOf(shot.path) }
  for (const [what, picture] of Object.entries(pictures)) {
    sameColour(colourAt(picture, 0.2, 0.5), [255, 255, 255], 3, `${what}, left`)
    sameColour(colourAt(picture, 0.8, 0.5), [255, 0, 0], 6, `${what}, right`)
  }
  return made
}

test.run()
