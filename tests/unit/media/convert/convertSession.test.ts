import { createDeferred } from '#core/async/deferred'
import { raceSignal } from '#core/async/onAbort'
import { createSingleFlight } from '#core/async/singleFlight'
import { ServiceError } from '#core/errors'
import { type ConvertedPhoto, type ConvertRequest, convertSession } from '#core/media/convert/convertSession'
import { createCovers } from '#core/media/cover/covers'
import { createJobQueue } from '#core/media/jobs/jobQueue'
import type { Ffmpeg } from '#core/media/ports'
import { sessionKeys } from '#core/media/sessions/session'
import { createSessions } from '#core/media/sessions/sessions'
import { CLIENT, codeOf, fakeWorkFolders, PREVIEW } from '#support/media/prepared'
import { previewMp4 } from '#support/media/previewMp4'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { createMemoryStore } from '#support/store/memoryStore'

// What is opened and closed around a conversion. The photo itself: convertClip.test.ts and tests/flows.

const test = suite('converting a session')
const { signal: never } = new AbortController()

async function setUp(run: Ffmpeg['run']) {
  const clock = createFakeClock()
  const store = createMemoryStore(clock.unixTime)
  const sessions = createSessions({ store, ttlSeconds: 100, now: clock.unixTime })
  const session = await sessions.create(PREVIEW, { path: '/upload' }, never)
  await store.putBytes(sessionKeys(session.id).preview, previewMp4(), { contentType: 'video/mp4' })
  const { workFolders, stillOpen } = fakeWorkFolders()
  const converted: unknown[] = []
  const stopping = new AbortController()
  const tools = {
    ffmpeg: { run, version: async () => 'ffmpeg' },
    webp: { open: async () => undefined },
    clock,
    limits: { maxInputSeconds: 60, convertTimeoutSeconds: 10, maxClipSeconds: 60 },
    version: 'test',
    sessions,
    workFolders,
  }
  const dependencies = {
    ...tools,
    covers: createCovers(tools),
    jobs: createJobQueue(1, clock),
    conversions: createSingleFlight<ConvertedPhoto>(),
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
    quality: 'preview',
    origin: { metadata: 'date', capturedAt: undefined, timeZone: undefined },
  }
  const convert = (change: Partial<ConvertRequest> = {}, signal = never) =>
    convertSession(dependencies, { ...request, ...change }, { client: CLIENT, signal })
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

test('without room in the queue it is too busy', async () => {
  const { convert, stopping, clock, isAllClosed } = await setUp(endless)
  const accepted = Array.from({ length: 9 }, (_, index) => codeOf(convert({ coverTime: index / 30 })))
  await clock.advance(0)
  assert.is(await codeOf(convert({ coverTime: 0.5 })), 'too-busy')
  stopping.abort(new ServiceError('unavailable', 'stopped'))
  assert.equal(new Set(await Promise.all(accepted)), new Set(['unavailable']))
  assert.ok(isAllClosed())
})

test('equal requests share one conversion, which goes on until the last of them has left', async () => {
  let runs = 0
  const begun = [createDeferred<void>(), createDeferred<void>()]
  const { convert, clock, isAllClosed } = await setUp((task) => {
    begun[runs]?.resolve()
    runs += 1
    return endless(task)
  })
  const clients = [new AbortController(), new AbortController()]
  const equal = clients.map(({ signal }) => codeOf(convert({}, signal)))
  await begun[0]?.promise
  const runsOfOne = runs
  const other = new AbortController()
  const different = codeOf(convert({ mute: true }, other.signal))
  clients[0]?.abort(new ServiceError('unavailable', 'gone'))
  assert.is(await equal[0], 'unavailable')
  assert.not.ok(isAllClosed())
  clients[1]?.abort(new ServiceError('unavailable', 'gone'))
  assert.is(await equal[1], 'unavailable')
  await begun[1]?.promise
  await clock.advance(0)
  // The cover of the first, then of the different one: the clips begin with a key frame and are copied.
  assert.is(runsOfOne, 1)
  assert.is(runs, 2)
  other.abort(new ServiceError('unavailable', 'gone'))
  assert.is(await different, 'unavailable')
  assert.ok(isAllClosed())
})

test.run()
