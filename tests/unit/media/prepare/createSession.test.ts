import { createDeferred } from '#core/async/deferred'
import { bytesSource } from '#core/formats/source/byteSource'
import { createJobQueue } from '#core/media/jobs/jobQueue'
import type { ReceivedForm } from '#core/media/ports'
import { createSession } from '#core/media/prepare/createSession'
import { createSessions } from '#core/media/sessions/sessions'
import { createUploads } from '#core/media/uploads/uploads'
import { CLIENT, codeOf, fakeWorkFolders, postOf } from '#support/media/prepared'
import { scriptedFfmpeg } from '#support/media/scriptedFfmpeg'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { createMemoryStore } from '#support/store/memoryStore'
import { silentLog } from '#support/values/testLog'

// Where the video comes from and what is closed afterwards. The preview itself: preparePreview.test.ts and tests/flows.

const test = suite('making a session')
const { signal: never } = new AbortController()
const CALLER = { client: CLIENT, signal: never }
const GIF = new TextEncoder().encode('GIF89a')
const FILE = { path: '/work/upload', size: GIF.length }
const readWindow = () => ({ from: 0, to: undefined, mustFit: true })
const naming = (upload_id: string) => postOf(JSON.stringify({ upload_id }), 'application/json')

function setUp(form: Partial<ReceivedForm> & { readonly head?: Uint8Array } = {}) {
  const clock = createFakeClock()
  const store = createMemoryStore(clock.unixTime)
  const uploads = createUploads({ store, now: clock.unixTime, clock, log: silentLog() })
  const { workFolders, stillOpen } = fakeWorkFolders()
  const jobs = createJobQueue(1, clock)
  const { ffmpeg, tasks } = scriptedFfmpeg(() => ({ exitCode: 1, stderr: 'Invalid data found' }))
  const prepared = () => tasks.map(({ args }) => args.find((arg) => arg.startsWith('file:')))
  const dependencies = {
    store,
    openFile: async () => bytesSource(new Uint8Array()),
    uploads,
    workFolders,
    jobs,
    quota: { take: async () => undefined },
    clock,
    sessions: createSessions({ store, ttlSeconds: 100, now: clock.unixTime }),
    receiveForm: async (_: Request, { checkHead }: { checkHead(head: Uint8Array): void }) => {
      if (form.head) checkHead(form.head)
      return { fields: form.fields ?? new Map(), file: form.file }
    },
    ffmpeg,
    webp: { open: async () => undefined },
    previewSize: 'fit' as const,
    processors: 2,
    limits: { maxInputSeconds: 60, prepareTimeoutSeconds: 10, maxUploadBytes: 1000, uploadIdleSeconds: 60 },
    metrics: { prepared: () => undefined },
    stopping: never,
  }
  const create = (request = postOf()) =>
    codeOf(createSession(dependencies, { request, texts: [], readWindow }, CALLER))
  const isAllClosed = () => stillOpen() === 0 && store.checkedOut() === 0
  return { create, isAllClosed, prepared, jobs, uploads, store }
}

test('a form with a file is prepared from that file', async () => {
  const { create, prepared, isAllClosed } = setUp({ file: FILE, head: GIF })
  assert.is(await create(), 'invalid-request')
  assert.equal(prepared(), ['file:/work/upload'])
  assert.ok(isAllClosed())
})

test('a form needs a file or the name of an upload, and not both', async () => {
  const upload_id = '0'.repeat(32)
  const named = new Map([['upload_id', upload_id]])
  assert.is(await setUp().create(), 'unprocessable')
  assert.is(await setUp({ fields: new Map([['upload_id', '']]) }).create(), 'unprocessable')
  assert.is(await setUp({ fields: named, file: FILE, head: GIF }).create(), 'invalid-request')
  assert.is(await setUp({ fields: named }).create(), 'not-found')
  assert.is(await setUp({ fields: named, file: { ...FILE, size: 0 } }).create(), 'not-found')
})

test('an empty file and one that is no video are refused before ffmpeg runs', async () => {
  for (const form of [
    { file: { ...FILE, size: 0 } },
    { file: FILE, head: new TextEncoder().encode('hello') },
  ]) {
    const { create, prepared, isAllClosed } = setUp(form)
    assert.is(await create(), 'invalid-request')
    assert.equal(prepared(), [])
    assert.ok(isAllClosed())
  }
})

test('an upload is prepared from its object, and used up when its file is bad', async () => {
  const { create, prepared, isAllClosed, uploads, store } = setUp()
  const upload = await uploads.create({ size: GIF.length, contentType: 'image/gif' })
  await store.putBytes(`uploads/${upload.id}`, GIF, { contentType: 'image/gif' })
  assert.is(await create(naming(upload.id)), 'invalid-request')
  assert.equal(prepared(), [`file:/local/uploads/${upload.id}`])
  assert.ok(isAllClosed())
  assert.equal(store.keys(), [`uploads/${upload.id}.status`])
})

test('without room in the queue the upload is not even received', async () => {
  const { create, jobs, isAllClosed } = setUp({ file: FILE, head: new TextEncoder().encode('hello') })
  const busy = createDeferred()
  const request = { ...CALLER, kind: 'prepare' } as const
  const accepted = Array.from({ length: 9 }, () => jobs.run(request, () => busy.promise))
  assert.is(await create(), 'too-busy')
  assert.ok(isAllClosed())
  busy.resolve()
  await Promise.all(accepted)
})

test.run()
