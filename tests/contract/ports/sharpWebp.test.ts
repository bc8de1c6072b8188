import { readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSharpWebp } from '@lantern-room/adapters/ffmpeg'
import type { WebpAnimation } from '@lantern-room/media/ports'
import sharp from 'sharp'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'
import { rejection } from '#support/values/failures'
import { present, refusal } from './expected'
import { openFilesBelow } from './leaks'

const test = suite('animated WebP by sharp', { timeoutMs: 60_000 })
const never = new AbortController().signal
const decoder = createSharpWebp()
let folder = ''

test.before.each(async () => {
  folder = await makeTempFolder('webp')
})
test.after.each(async () => {
  const open = openFilesBelow(folder)
  await removeFolders(folder)
  assert.equal(open, [])
})

type Pixel = readonly [red: number, green: number, blue: number, alpha: number]

/** Writes an animation whose frame `n` has the pixel `pixelOf(n, x, y)`. */
function animation(
  [width, height, count]: readonly [number, number, number],
  pixelOf: (frame: number, x: number, y: number) => Pixel,
  delay?: number[],
): Promise<string> {
  const pixels = Buffer.alloc(width * height * count * 4)
  for (let n = 0; n < count; n++)
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) pixels.set(pixelOf(n, x, y), ((n * height + y) * width + x) * 4)
  return encode(pixels, width, height, delay)
}

/** Writes an animation whose frame `n` has only the colour `n, 0, 0`. */
function flatAnimation([width, height, count]: readonly [number, number, number]): Promise<string> {
  const pixels = Buffer.alloc(width * height * count * 4)
  for (let n = 0; n < count; n++)
    pixels.fill(Buffer.of(n, 0, 0, 255), n * width * height * 4, (n + 1) * width * height * 4)
  return encode(pixels, width, height)
}

async function encode(pixels: Buffer, width: number, height: number, delays?: number[]): Promise<string> {
  const pages = pixels.length / (width * height * 4)
  const delay = delays ?? Array.from({ length: pages }, () => 100)
  const raw = { width, height: height * pages, channels: 4, pageHeight: height } as const
  const image = sharp(pixels, { raw, limitInputPixels: false }).webp({ lossless: true, effort: 0, delay })
  const path = join(folder, 'animation')
  await writeFile(path, await image.toBuffer())
  return path
}

async function framesOf(opened: WebpAnimation, signal = never): Promise<Uint8Array[]> {
  const frames: Uint8Array[] = []
  for await (const frame of opened.frames(signal)) frames.push(frame.slice())
  return frames
}

test('each frame comes composed, on white, as plain RGB', async () => {
  const pixelOf = (frame: number, x: number, y: number): Pixel => {
    if (x === frame) return [200, 10 * frame, y, 255]
    if (x === 9) return [0, 0, 0, 0]
    return y === 0 ? [100, 100, 100, 51] : [7, 8, 9, 255]
  }
  const opened = present(await decoder.open(await animation([10, 6, 5], pixelOf)))
  assert.equal([opened.width, opened.height], [10, 6])
  const frames = await framesOf(opened)
  assert.is(frames.length, 5)
  for (const [n, frame] of frames.entries()) {
    assert.is(frame.constructor, Uint8Array)
    const expected = new Uint8Array(10 * 6 * 3)
    for (let y = 0; y < 6; y++)
      for (let x = 0; x < 10; x++) {
        const [red, green, blue, alpha] = pixelOf(n, x, y)
        const onWhite = [red, green, blue].map((value) =>
          Math.round((value * alpha + 255 * (255 - alpha)) / 255),
        )
        expected.set(onWhite, (y * 10 + x) * 3)
      }
    const largest = Math.max(...frame.map((value, at) => Math.abs(value - (expected[at] ?? 0))))
    assert.is(frame.length, expected.length)
    // Half-transparent pixels may be rounded either way.
    assert.ok(largest <= 1, `frame ${n} is off by ${largest}`)
  }
})

test('delays are those of browsers', async () => {
  const moving = (frame: number): Pixel => [frame * 40, 0, 0, 255]
  const path = await animation([4, 4, 6], moving, [0, 1, 10, 11, 100, 5000])
  assert.equal(present(await decoder.open(path)).delaysMs, [100, 100, 100, 11, 100, 5000])
})

test('a still picture is an animation of one frame', async () => {
  const opened = present(await decoder.open(await animation([3, 2, 1], () => [1, 2, 3, 255])))
  assert.equal([opened.width, opened.height, opened.delaysMs], [3, 2, [100]])
  const [frame, ...others] = await framesOf(opened)
  assert.is(others.length, 0)
  equalBytes(present(frame), new Uint8Array(Array.from({ length: 6 }, () => [1, 2, 3]).flat()))
})

test('frames of more than one batch come in order and complete', async () => {
  // 16 MB each, so four are decoded at once.
  const opened = present(await decoder.open(await flatAnimation([2000, 2000, 6])))
  assert.is(opened.delaysMs.length, 6)
  let n = 0
  for await (const frame of opened.frames(never)) {
    assert.is(frame.length, 12_000_000)
    for (const at of [0, 3, 5_999_997, 11_999_997]) assert.is(frame[at], n)
    n++
  }
  assert.is(n, 6)
})

test('an abort ends it between two batches, with its reason', async () => {
  const opened = present(await decoder.open(await flatAnimation([2000, 2000, 6])))
  const abort = new AbortController()
  const reason = new Error('enough')
  let frames = 0
  const reading = (async () => {
    for await (const _ of opened.frames(abort.signal)) if (++frames === 2) abort.abort(reason)
  })()
  assert.is(await rejection(reading), reason)
  assert.is(frames, 4)
  assert.is(await rejection(framesOf(opened, AbortSignal.abort(reason))), reason)
})

test('a file that is cut anywhere is refused when it is opened or read', async () => {
  const pixelOf = (n: number, x: number, y: number): Pixel => [x * 17 + n, y * 31, (x * y) & 255, 255]
  const path = await animation([40, 30, 4], pixelOf)
  const whole = await readFile(path)
  for (let length = 0; length < whole.length; length += length < 64 ? 1 : Math.ceil(whole.length / 40)) {
    await writeFile(path, whole)
    await truncate(path, length)
    const reading = (async () => framesOf(present(await decoder.open(path))))()
    await refusal(reading, 'invalid-request')
  }
})

test('what is no WebP is refused, also what sharp could read', async () => {
  const path = join(folder, 'file')
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="5" height="5"/>'
  const png = await sharp({ create: { width: 2, height: 2, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  for (const bytes of [svg, png, '', 'RIFF', 'RIFF\0\0\0\0WEBP', 'RIFF\0\0\0\0WAVEfmt ']) {
    await writeFile(path, bytes)
    await refusal(decoder.open(path), 'invalid-request')
  }
})

test('a picture or an animation that is too large is refused before it is decoded', async () => {
  const path = join(folder, 'large')
  const flat = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: 'red' } })
      .webp({ quality: 1, effort: 0 })
      .toFile(path)
  await flat(6000, 6000)
  assert.is(present(await decoder.open(path)).width, 6000)
  await flat(6001, 6000)
  await refusal(decoder.open(path), 'payload-too-large')
  const blinking = (n: number): Pixel => [(n & 1) * 255, 0, 0, 255]
  assert.is(present(await decoder.open(await animation([1, 1, 3000], blinking))).delaysMs.length, 3000)
  await refusal(decoder.open(await animation([1, 1, 3001], blinking)), 'payload-too-large')
})

test('without sharp there is no decoder', async () => {
  const path = await animation([2, 2, 2], (n) => [n, 0, 0, 255])
  assert.is(await createSharpWebp(async () => undefined).open(path), undefined)
})

test.run()
