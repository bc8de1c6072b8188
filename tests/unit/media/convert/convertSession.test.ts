import * as assert from 'uvu/assert'
import { raceSignal } from '#core/async/raceSignal'
import { ServiceError } from '#core/errors'
import { type ConvertRequest, convertSession } from '#core/media/convert/convertSession'
import { createJobSlots } from '#core/media/jobSlots'
import type { Ffmpeg } from '#core/media/ports'
import { createSessions } from '#core/media/sessions'
import { codeOf, fakeWorkFolders, PREVIEW } from '#support/media/prepared'
import { createFakeClock } from '#support/network/fakeClock'
import { suite } from '#support/runner/suite'
import { createMemoryStore } from '#support/store/memoryStore'

// What is opened and closed around a conversion. The photo itself: convertClip.test.ts and tests/flows.

const test = suite('converting a session')
const { signal: never } = new AbortController()

async function setUp(run: Ffmpeg['run']) {
  const clock = createFakeClock()
  const store = createMemoryStore(clock.unixTime)
  const sessions = createSessions({ store, ttlSeconds: 100, now: clock.unixTime })
  const session = await sessions.create(PREVIEW, { path: '/upload' }, never)
  const { workFolders, stillOpen } = fakeWorkFolders()
  const converted: unknown[] = []
  const stopping = new AbortController()
  const dependencies = {
    ffmpeg: { run, version: async () => 'ffmpeg' },
    webp: { open: async () => undefined },
    clock,
    limits: { maxInputSeconds: 60, convertTimeoutSeconds: 10, maxClipSeconds: 60 },
    version: 'test',
    sessions,
    workFolders,
    jobs: createJobSlots({ running: 1, waiting: 0 }),
    metrics: { converted: (figures: unknown) => void converted.push(figures) },
    stopping: stopping.signal,
  }
  const request: ConvertRequest = {
    sessionId: session.id,
    rangeStart: 0,
    rangeEnd: 1,
    coverTime: 0,
    speed: 1,
    profile: 'universal',
    mute: false,
  }
  const convert = (change: Partial<ConvertRequest> = {}, signal = never) =>
    convertSession(dependencies, { ...request, ...change }, signal)
  const isAllClosed = () => stillOpen() === 0 && store.checkedOut() === 0
  return { convert, isAllClosed, converted, stopping, dependencies, clock }
}

const refused: Ffmpeg['run'] = async () => ({ exitCode: 1, stdout: new Uint8Array(), stderr: 'no' })

/** Runs until its signal aborts. */
const endless: Ffmpeg['run'] = ({ signal }) => raceSignal(new Promise(() => undefined), signal)

test('unknown sessions and impossible ranges are refused before anything is opened', async () => {
  const { convert, isAllClosed } = await setUp(() => Promise.reject(new Error('ffmpeg was started')))
  assert.is(await codeOf(convert({ sessionId: 'f'.repeat(32) })), 'not-found')
  assert.is(await codeOf(convert({ rangeEnd: 4 })), 'invalid-request')
  assert.is(await codeOf(convert({ speed: 11 })), 'invalid-request')
  assert.ok(isAllClosed())
})

test('after a failure the folder is gone, the files are released, and nothing is measured', async () => {
  const { convert, isAllClosed, converted } = await setUp(refused)
  assert.is(await codeOf(convert()), 'internal')
  assert.ok(isAllClosed())
  assert.equal(converted, [])
})

test('the client, the host and the time limit end the work', async () => {
  const gone = new ServiceError('unavailable', 'gone')
  const client = await setUp(endless)
  const leaving = new AbortController()
  const left = codeOf(client.convert({}, leaving.signal))
  await client.clock.advance(0)
  leaving.abort(gone)
  assert.is(await left, 'unavailable')
  assert.ok(client.isAllClosed())

  const host = await setUp(endless)
  const stopped = codeOf(host.convert())
  await host.clock.advance(0)
  host.stopping.abort(gone)
  assert.is(await stopped, 'unavailable')
  assert.ok(host.isAllClosed())

  const slow = await setUp(endless)
  const late = codeOf(slow.convert())
  await slow.clock.advance(9_999)
  assert.not.ok(slow.isAllClosed())
  await slow.clock.advance(1)
  assert.is(await late, 'timeout')
  assert.ok(slow.isAllClosed())
  assert.is(slow.clock.timers, 0)
})

test('without a free slot it is too busy', async () => {
  const { convert, stopping, clock, isAllClosed } = await setUp(endless)
  const first = codeOf(convert())
  await clock.advance(0)
  assert.is(await codeOf(convert()), 'too-busy')
  stopping.abort(new ServiceError('unavailable', 'stopped'))
  assert.is(await first, 'unavailable')
  assert.ok(isAllClosed())
})

test.run()
