import { ServiceError } from '#core/errors'
import { sessionKeys } from '#core/media/sessions/session'
import { createSessions } from '#core/media/sessions/sessions'
import { codeOf, PREVIEW } from '../../../support/media/prepared'
import { assert, suite } from '../../../support/runner/suite'
import { createMemoryStore } from '../../../support/store/memoryStore'

const test = suite('sessions', { setUp })
const START = Date.UTC(2026, 0, 1)
const HOUR_MS = 3_600_000
const { signal: never } = new AbortController()

function setUp() {
  let now = START
  const store = createMemoryStore(() => now)
  const sessions = createSessions({ store, ttlSeconds: 100, now: () => now })
  const pass = (ms: number) => {
    now += ms
  }
  return {
    store,
    sessions,
    pass,
    now: () => now,
    create: () => sessions.create(PREVIEW, { path: '/upload' }, never),
  }
}

test('a created session is found with all that its preview has', async ({ store, sessions, create }) => {
  const session = await create()
  assert.equal(await sessions.find(session.id), session)
  assert.equal(
    { ...session, id: '' },
    {
      id: '',
      createdAt: START / 1000,
      expiresAt: START / 1000 + 100,
      durationMs: 3000,
      frames: 90,
      width: 640,
      height: 360,
      hasAudio: true,
      sourceSeconds: 3,
      strip: undefined,
      still: undefined,
      capture: PREVIEW.capture,
      original: PREVIEW.original,
    },
  )
  const { record, preview, original } = sessionKeys(session.id)
  assert.equal(store.keys(), [original, preview, record].sort())
})

test('an original that is stored already is copied, and stored from its file when it is gone', async () => {
  const { store, sessions } = setUp()
  const text = async (id: string) => new TextDecoder().decode(await store.get(sessionKeys(id).original))
  await store.putBytes('uploads/a', new TextEncoder().encode('stored'), { contentType: 'video/mp4' })
  const copied = await sessions.create(PREVIEW, { path: '/file', storedAs: 'uploads/a' }, never)
  assert.is(await text(copied.id), 'stored')
  const sent = await sessions.create(PREVIEW, { path: '/file', storedAs: 'uploads/gone' }, never)
  assert.is(await text(sent.id), '/file')
})

test('unknown, malformed and removed ids are not found', async ({ sessions, create }) => {
  const { id } = await create()
  await sessions.remove(id)
  for (const wrong of [id, 'f'.repeat(32), '', '../etc', id.toUpperCase()])
    assert.is(await codeOf(sessions.find(wrong)), 'not-found')
})

test('an expired session is not found, and is removed on the way', async () => {
  const { store, sessions, create, pass } = setUp()
  const { id } = await create()
  pass(100_000)
  await sessions.find(id)
  pass(1)
  assert.is(await codeOf(sessions.find(id)), 'not-found')
  assert.equal(store.keys(), [])
})

test('an expired session is not found even if it cannot be removed', async ({ store, create, pass }) => {
  const { id } = await create()
  pass(100_001)
  const cannotDelete = { ...store, delete: () => Promise.reject(new ServiceError('unavailable', 'No.')) }
  const readers = createSessions({ store: cannotDelete, ttlSeconds: 100, now: () => START + 100_001 })
  assert.is(await codeOf(readers.find(id)), 'not-found')
  assert.is(store.keys().length, 3)
})

test('the preview is opened by range, and gone with the session', async ({ sessions, create }) => {
  const { id } = await create()
  assert.is(await sessions.previewSize(id), PREVIEW.path.length)
  const { size, body } = await sessions.openPreview(id, { start: 1, end: 4 })
  assert.is(size, PREVIEW.path.length)
  assert.is(await new Response(body).text(), 'work')
  await sessions.remove(id)
  assert.is(await codeOf(sessions.previewSize(id)), 'not-found')
  assert.is(await codeOf(sessions.openPreview(id, undefined)), 'not-found')
})

test('preview and original are sources of bytes, gone with the session', async ({ sessions, create }) => {
  const session = await create()
  const preview = await sessions.previewSource(session)
  assert.is(preview.size, PREVIEW.path.length)
  assert.is(new TextDecoder().decode(await preview.read(1, 5)), 'work')
  assert.is(await sessions.previewSource(session), preview, 'one source, which keeps its first bytes')
  const original = await sessions.originalSource(session)
  assert.is(new TextDecoder().decode(await original.read(0, original.size)), '/upload')
  await sessions.remove(session.id)
  assert.is(await codeOf(sessions.originalSource({ ...session, id: 'f'.repeat(32) })), 'not-found')
})

test('a filmstrip is stored with its layout, and removed with the session', async ({ store, sessions }) => {
  const layout = { tileWidth: 160, tileHeight: 90, rowHeight: 96, tiles: 6, interval: 15 }
  const preview = { ...PREVIEW, strip: { path: '/work/strip.jpg', layout } }
  const session = await sessions.create(preview, { path: '/upload' }, never)
  assert.equal((await sessions.find(session.id)).strip, layout)
  assert.is(new TextDecoder().decode(await sessions.readStrip(session)), '/work/strip.jpg')
  await sessions.remove(session.id)
  assert.is(await codeOf(sessions.readStrip(session)), 'not-found')
  assert.equal(store.keys(), [])
})

test('a session without a filmstrip has none to read', async ({ sessions, create }) => {
  assert.is(await sessions.readStrip(await create()), undefined)
})

test('files are checked out each on its own', async ({ store, sessions, create }) => {
  const session = await create()
  const files = [await sessions.checkOutPreview(session), await sessions.checkOutOriginal(session)]
  const { preview, original } = sessionKeys(session.id)
  const paths = files.map(({ path }) => path)
  assert.equal(paths, [`/local/${preview}`, `/local/${original}`])
  assert.is(store.checkedOut(), 2)
  for (const file of files) await file.release()
  assert.is(store.checkedOut(), 0)
})

test('without its original a session has none to check out', async ({ store, sessions, create }) => {
  const session = await create()
  await store.delete([sessionKeys(session.id).original])
  assert.is(await codeOf(sessions.checkOutOriginal(session)), 'not-found')
  assert.is(store.checkedOut(), 0)
})

test('a session that takes too long to store, or is aborted, leaves nothing', async () => {
  const { store, sessions, pass, create, now } = setUp()
  const { putFile } = store
  const slow = createSessions({
    store: {
      ...store,
      async putFile(...args) {
        pass(26 * 60_000)
        return putFile(...args)
      },
    },
    ttlSeconds: 100,
    now,
  })
  assert.is(await codeOf(slow.create(PREVIEW, { path: '/upload' }, never)), 'unavailable')
  assert.equal(store.keys(), [])
  const gone = AbortSignal.abort(new ServiceError('unavailable', 'gone'))
  assert.is(await codeOf(sessions.create(PREVIEW, { path: '/upload' }, gone)), 'unavailable')
  assert.equal(store.keys(), [])
  await create()
})

test('the sweep removes expired sessions and old orphans, and nothing else', async () => {
  const { store, sessions, create, pass } = setUp()
  const orphan = `sessions/${'a'.repeat(32)}/preview.mp4`
  await create()
  await store.putBytes(orphan, new Uint8Array(1), { contentType: 'video/mp4' })
  await store.putBytes('sessions/other', new Uint8Array(1), { contentType: 'video/mp4' })
  assert.is(await sessions.sweep(), 0)
  pass(HOUR_MS)
  assert.is(await sessions.sweep(), 1, 'the session; an orphan of an hour may still be written')
  pass(1)
  assert.is(await sessions.sweep(), 1)
  assert.equal(store.keys(), ['sessions/other'])
})

test.run()
