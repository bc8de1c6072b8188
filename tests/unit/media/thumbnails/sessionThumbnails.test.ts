import sharp from 'sharp'
import { concatBytes } from '#core/bytes'
import { createJobQueue } from '#core/media/jobs/jobQueue'
import type { FfmpegTask } from '#core/media/ports'
import { sessionKeys } from '#core/media/sessions/session'
import { createSessions } from '#core/media/sessions/sessions'
import { joinTiles } from '#core/media/strip/filmstrip'
import { createSessionThumbnails } from '#core/media/thumbnails/sessionThumbnails'
import { CLIENT, codeOf, PREVIEW } from '#support/media/prepared'
import { scriptedFfmpeg } from '#support/media/scriptedFfmpeg'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { countingStore } from '#support/store/countingStore'
import { createMemoryStore } from '#support/store/memoryStore'
import { tinyPreview } from './tinyPreview'

const test = suite('thumbnails of sessions', { setUp })
const { signal: never } = new AbortController()
const FRAMES = PREVIEW.frames
const caller = { client: CLIENT, signal: never }

async function picture(shade: number): Promise<Uint8Array> {
  const background = { r: shade * 2, g: (shade * 37) % 256, b: 255 - shade }
  const image = sharp({ create: { width: 160, height: 90, channels: 3, background } })
  return new Uint8Array(await image.jpeg({ optimiseCoding: false }).toBuffer())
}

const pictures = await Promise.all(Array.from({ length: FRAMES }, (_, frame) => picture(frame)))

/** The frame that a JPEG shows. */
function frameOf(jpeg: Uint8Array): number {
  return pictures.findIndex((one) => Buffer.from(one).equals(jpeg))
}

/** What ffmpeg would make: the pictures that are selected in the stream that it is given. */
function decode({ args, stdin }: FfmpegTask): Uint8Array {
  const units = [...(stdin instanceof Uint8Array ? stdin : [])].join(' ').split(/(?:^| )0 0 0 1(?= |$)/)
  // The sample's units have one byte; those of the parameter sets have more.
  const frames = units.map((unit) => unit.trim()).filter((unit) => /^\d+$/.test(unit))
  const wanted = [...args.join(' ').matchAll(/eq\(n,(\d+)\)/g)].map((match) => Number(match[1]))
  return concatBytes(wanted.map((index) => pictures[Number(frames[index])] ?? new Uint8Array()))
}

async function setUp({ exitCode = 0, hasStrip = false } = {}) {
  const memory = createMemoryStore()
  const { store, reads, reset } = countingStore(memory)
  const sessions = createSessions({ store, ttlSeconds: 100, now: () => 0 })
  const tiles = pictures.filter((_, frame) => frame % 15 === 0)
  const joined = hasStrip ? joinTiles(concatBytes(tiles), { frames: FRAMES, interval: 15 }) : undefined
  const strip = joined && { path: '/work/strip.jpg', layout: joined.strip }
  const { id } = await sessions.create({ ...PREVIEW, strip }, { path: '/upload' }, never)
  await memory.putBytes(sessionKeys(id).preview, tinyPreview(FRAMES), { contentType: 'video/mp4' })
  if (joined) await memory.putBytes(sessionKeys(id).strip, joined.jpeg, { contentType: 'image/jpeg' })
  const { ffmpeg, tasks: runs } = scriptedFfmpeg((task) => ({ exitCode, stdout: decode(task) }))
  const thumbnails = createSessionThumbnails({
    ffmpeg,
    sessions,
    jobs: createJobQueue(2, createFakeClock()),
    limits: { maxConcurrentJobs: 2, convertTimeoutSeconds: 10 },
    processors: 2,
    stopping: never,
  })
  const take = (timestamp: number, width?: number) =>
    thumbnails.atTime({ sessionId: id, timestamp, width }, caller)
  const frame = async (number: number, width?: number) =>
    (await thumbnails.findFrame({ sessionId: id, frame: number, width }, caller))()
  reset()
  return { take, frame, runs, store: memory, sessions, id, reads, reset }
}

test('one frame and width is taken once, other frames and widths by themselves', async ({ take, runs }) => {
  assert.is(frameOf(await take(1)), 30)
  assert.is(frameOf(await take(1.01)), 30, 'the same frame')
  assert.is(frameOf(await take(1, 5000)), 30, "never wider than the preview's own width")
  assert.is(runs.length, 1)
  assert.is(frameOf(await take(1, 320)), 30)
  assert.match(runs[1]?.args.join(' ') ?? '', 'min(320,iw)')
  assert.is(frameOf(await take(2 + 1 / 30)), 61)
  assert.is(runs.length, 3)
})

test('a frame is the same by its number and by its time', async ({ take, frame, runs }) => {
  assert.is(frameOf(await frame(44)), 44)
  assert.equal(await take(44 / 30), await frame(44))
  assert.is(runs.length, 1)
})

test('times up to a frame past the end are the last frame; others are out of range', async () => {
  const { take, frame, runs } = await setUp()
  const last = await take(3 - 1 / 30)
  assert.equal(await take(3), last)
  assert.equal(await take(3 + 1 / 30 - 1e-6), last)
  assert.equal(await frame(89), last)
  assert.is(await codeOf(take(3 + 1 / 30)), 'out-of-range')
  assert.is(await codeOf(take(-0.001)), 'out-of-range')
  assert.is(await codeOf(frame(90)), 'out-of-range')
  assert.is(runs.length, 1)
})

test('fifty at once are taken by a few runs, and each is its own frame', async ({ frame, runs }) => {
  const wanted = Array.from({ length: 50 }, (_, index) => (index * 37) % FRAMES)
  const made = await Promise.all(wanted.map((number) => frame(number, 320)))
  assert.equal(made.map(frameOf), wanted)
  assert.ok(runs.length < 10, `${runs.length} runs`)
})

test('a tile of the strip answers in its own width and for its own frames, without a run', async () => {
  const { take, frame, runs } = await setUp({ hasStrip: true })
  assert.is(frameOf(await take(1, 160)), 30)
  assert.is(frameOf(await frame(75, 160)), 75)
  assert.is(frameOf(await take(1.51, 160)), 45)
  assert.is(runs.length, 0)
  assert.is(frameOf(await frame(31, 160)), 31, 'between two tiles')
  assert.is(frameOf(await frame(30, 159)), 30, 'another width')
  assert.is(runs.length, 2)
})

test('only the record, the index and one group are read, and the strip once', async (plain) => {
  await plain.frame(40)
  const index = plain.reads.requests
  plain.reset()
  await plain.frame(70)
  assert.is(index, 3, 'the record, the size, the first bytes with the index; they hold the tiny samples, too')
  assert.is(plain.reads.requests, 1, 'the record')
  const { frame, reads } = await setUp({ hasStrip: true })
  await frame(15, 160)
  await frame(30, 160)
  assert.is(reads.requests, 3, 'the record twice, the strip once')
})

test('a removed session has no thumbnails, also where one was kept', async () => {
  const { take, frame, sessions, id } = await setUp({ hasStrip: true })
  await take(1)
  await take(1, 160)
  await sessions.remove(id)
  assert.is(await codeOf(take(1)), 'not-found')
  assert.is(await codeOf(take(1, 160)), 'not-found')
  assert.is(await codeOf(frame(1)), 'not-found')
})

test('a failure is tried again', async () => {
  const { take, runs } = await setUp({ exitCode: 1 })
  assert.is(await codeOf(take(1)), 'internal')
  assert.is(await codeOf(take(1)), 'internal')
  assert.is(runs.length, 2)
})

test('a preview that is no MP4 of ours is an internal failure', async ({ take, store, id }) => {
  await store.putBytes(sessionKeys(id).preview, new Uint8Array(100), { contentType: 'video/mp4' })
  assert.is(await codeOf(take(1)), 'internal')
})

test.run()
