import { type ErrorCode, ServiceError } from '#core/errors'
import { type Upload, uploadKeys } from '#core/media/uploads/upload'
import { createUploads, type Uploads } from '#core/media/uploads/uploads'
import { codeOf } from '#support/media/prepared'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { createMemoryStore } from '#support/store/memoryStore'
import { createTestLog } from '#support/values/testLog'

const test = suite('uploads', { setUp })
const START = Date.UTC(2026, 0, 1)
const FILE = '/file'

const { signal: never } = new AbortController()

function use<T>(uploads: Uploads, id: string, work: (upload: Upload, key: string) => Promise<T>): Promise<T> {
  return uploads.use(id, { signal: never }, { work })
}

function setUp() {
  let now = START
  const store = createMemoryStore(() => now)
  const clock = createFakeClock()
  const log = createTestLog()
  const uploads = createUploads({ store, now: () => now, clock, log })
  const pass = (ms: number) => {
    now += ms
  }
  const create = () => uploads.create({ size: FILE.length, contentType: 'video/mp4' })
  const received = async () => {
    const upload = await create()
    await uploads.put(upload, FILE)
    return upload
  }
  return { store, uploads, warnings: log.warnings, pass, create, received, clock, log, now: () => now }
}

test('an upload is found until its hour is over', async ({ uploads, create, pass }) => {
  const upload = await create()
  assert.equal([upload.createdAt, upload.size, upload.contentType], [START / 1000, 5, 'video/mp4'])
  pass(3_600_000)
  assert.equal(await uploads.find(upload.id), upload)
  pass(1)
  assert.is(await codeOf(uploads.find(upload.id)), 'not-found')
  for (const wrong of ['', '0'.repeat(32), '../x']) assert.is(await codeOf(uploads.find(wrong)), 'not-found')
})

test('a file is taken once', async ({ store, uploads, received }) => {
  const upload = await received()
  assert.is(await codeOf(uploads.mustBeEmpty(upload)), 'conflict')
  assert.is(await codeOf(uploads.put(upload, '/other')), 'conflict')
  assert.is(new TextDecoder().decode(await store.get(uploadKeys(upload.id).file)), FILE)
})

test('a file that could not be stored can be sent again', async () => {
  const { store, uploads, create, clock, log, now } = setUp()
  const upload = await create()
  const putFile = () => Promise.reject(new ServiceError('unavailable', 'The disk is full.'))
  const broken = createUploads({ store: { ...store, putFile }, now, clock, log })
  assert.is(await codeOf(broken.put(upload, FILE)), 'unavailable')
  assert.equal(store.keys(), [uploadKeys(upload.id).record])
  await uploads.put(upload, FILE)
})

test('an upload that was prepared is used up', async ({ store, uploads, received }) => {
  const upload = await received()
  const result = await use(uploads, upload.id, async (found, key) => {
    assert.equal([found, key], [upload, uploadKeys(upload.id).file])
    return 'done'
  })
  assert.is(result, 'done')
  assert.equal(store.keys(), [uploadKeys(upload.id).status], 'its status stays until the sweep')
  assert.is(await codeOf(use(uploads, upload.id, async () => 'again')), 'not-found')
})

const outcomes: Readonly<Partial<Record<ErrorCode, 'used up' | 'usable'>>> = {
  'invalid-request': 'used up',
  'unsupported-media': 'used up',
  'payload-too-large': 'used up',
  timeout: 'usable',
  unavailable: 'usable',
  'too-busy': 'usable',
  internal: 'usable',
}
for (const [code, outcome] of Object.entries(outcomes))
  test(`after ${code} an upload is ${outcome}`, async () => {
    const { uploads, received } = setUp()
    const { id } = await received()
    const failing = use(uploads, id, () => Promise.reject(new ServiceError(code as ErrorCode, 'No.')))
    assert.is(await codeOf(failing), code)
    const again = use(uploads, id, async () => 'again')
    if (outcome === 'usable') assert.is(await again, 'again')
    else assert.is(await codeOf(again), 'not-found')
  })

test('an upload is used by one at a time, with the file that was announced', async () => {
  const { store, uploads, received, create } = setUp()
  const { id } = await received()
  await use(uploads, id, async () => {
    assert.is(await codeOf(use(uploads, id, async () => undefined)), 'conflict')
  })
  const empty = await create()
  assert.is(await codeOf(use(uploads, empty.id, async () => undefined)), 'conflict')
  await store.putBytes(uploadKeys(empty.id).file, new Uint8Array(9), { contentType: 'video/mp4' })
  assert.is(await codeOf(use(uploads, empty.id, async () => undefined)), 'invalid-request')
})

test('a lost answer to the claim does not lock its own request out', async () => {
  const { store, received, clock, log, now } = setUp()
  const { id } = await received()
  // The store has created the object, and says that it existed: as to a request that was repeated.
  const createBytes: typeof store.createBytes = async (...args) => {
    await store.createBytes(...args)
    return false
  }
  const repeated = createUploads({ store: { ...store, createBytes }, now, clock, log })
  assert.is(await use(repeated, id, async () => 'done'), 'done')
})

test('what cannot be removed is logged and no error', async () => {
  const { store, received, clock, log, now, warnings } = setUp()
  const { id } = await received()
  const cannotDelete = { ...store, delete: () => Promise.reject(new Error('no')) }
  const uploads = createUploads({ store: cannotDelete, now, clock, log })
  assert.is(await use(uploads, id, async () => 'done'), 'done')
  assert.equal(warnings, ['an upload was not removed'])
})

test('the sweep removes uploads of which nothing has changed for an hour', async () => {
  const { store, uploads, create, received, pass } = setUp()
  await received()
  pass(3_600_000)
  const young = await create()
  assert.is(await uploads.sweep(), 0)
  pass(1)
  assert.is(await uploads.sweep(), 1)
  assert.equal(store.keys(), [uploadKeys(young.id).record])
})

test.run()
