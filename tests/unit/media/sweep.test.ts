import type { Log } from '@lantern-room/base'
import { logMetrics } from '#internal/media/metrics'
import { createStoreClock } from '#internal/media/objectStore/storeClock'
import { expiryKey, sessionKeys } from '#internal/media/sessions/session'
import { Sessions } from '#internal/media/sessions/sessions'
import { sweepStore } from '#internal/media/sweep'
import { Uploads } from '#internal/media/uploads/uploads'
import { PREVIEW } from '#support/media/prepared'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { countingStore } from '#support/store/countingStore'
import { createMemoryStore, type MemoryStore } from '#support/store/memoryStore'
import { rejectedRefusal } from '#support/values/failures'
import { silentLog } from '#support/values/testLog'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const DAY_SECONDS = 86_400
const { signal } = new AbortController()

/** Hosts on one store, each with a clock and a time to live of its own. */
function setUp() {
  const fake = createFakeClock()
  const memory = createMemoryStore(fake.unixTime)
  const removed: object[] = []
  const info: Log['info'] = (message, fields = {}) => void (message === 'removed' && removed.push(fields))
  const log = { ...silentLog(), info }

  function host({
    aheadMs = 0,
    ttlSeconds = DAY_SECONDS,
    store = memory as MemoryStore,
    jumpedMs = (): number => 0,
  } = {}) {
    const clock = { ...fake, unixTime: () => fake.unixTime() + aheadMs + jumpedMs() }
    const storeClock = createStoreClock({ store, clock, log })
    const { unixTime: now, mayRemove } = storeClock
    const sessions = new Sessions({ store, ttlSeconds, now, mayRemove })
    const uploads = new Uploads({ store, clock: storeClock, log, metrics: logMetrics(log) })
    return {
      sessions,
      uploads,
      storeClock,
      create: (client?: string) => sessions.create(PREVIEW, { path: '/upload' }, signal, undefined, client),
      sweep: () => sweepStore({ store, storeClock, log }),
    }
  }
  return { fake, store: memory, host, removed }
}

const test = suite('the sweep of a shared store', { setUp })

test('removes what has expired by its own record, whatever this host is set to', async ({ fake, host }) => {
  const [long, short] = [host({ ttlSeconds: 7 * DAY_SECONDS }), host({ ttlSeconds: 60 })]
  const [lasting, brief] = [await long.create(), await short.create()]
  assert.equal(
    [lasting.expiresAt - lasting.createdAt, brief.expiresAt - brief.createdAt],
    [7 * DAY_SECONDS, 60],
  )
  await fake.advance(61_000)
  assert.equal(await short.sweep(), { sessions: 1, uploads: 0 })
  await fake.advance(6 * DAY_MS)
  assert.equal(await short.sweep(), { sessions: 0, uploads: 0 })
  assert.equal(await short.sessions.find(lasting.id), lasting)
  await fake.advance(DAY_MS)
  assert.equal(await host({ ttlSeconds: 365 * DAY_SECONDS }).sweep(), { sessions: 1, uploads: 0 })
})

for (const aheadMs of [25 * HOUR_MS, -25 * HOUR_MS, 5 * 60_000])
  test(`removes nothing by a clock that is ${aheadMs / 60_000} min ahead, and what has expired is not found`, async () => {
    const { fake, store, host } = setUp()
    const right = host()
    const session = await right.create()
    await right.uploads.create({ size: 5, contentType: 'video/mp4' })
    const wrong = host({ aheadMs })
    assert.is(await wrong.sweep(), undefined)
    assert.equal(await wrong.sessions.find(session.id), session)
    await fake.advance(DAY_MS + 3000)
    const before = store.keys()
    assert.is(await wrong.sweep(), undefined)
    await rejectedRefusal(wrong.sessions.find(session.id), 'not-found')
    assert.equal(store.keys(), before, 'nor when it is asked for')
    assert.equal(await right.sweep(), { sessions: 1, uploads: 1 })
    assert.equal(store.keys(), [])
  })

test('with a clock that is two minutes ahead removes nothing too early', async ({ fake, host }) => {
  const session = await host().create()
  const wrong = host({ aheadMs: 120_000 })
  await fake.advance(DAY_MS - 3000)
  assert.equal(await wrong.sweep(), { sessions: 0, uploads: 0 })
  assert.equal(await wrong.sessions.find(session.id), session)
  await fake.advance(6000)
  assert.equal(await wrong.sweep(), { sessions: 1, uploads: 0 })
})

test('leaves a session of a newer version alone until its time is over', async ({ fake, store, host }) => {
  const right = host()
  const { id } = await right.create()
  const { record } = sessionKeys(id)
  const stored = JSON.parse(new TextDecoder().decode(await store.get(record)))
  const newer = { ...stored, original: { kind: 'hologram' } }
  await store.putBytes(record, new TextEncoder().encode(JSON.stringify(newer)), { contentType: 'text/plain' })
  await rejectedRefusal(right.sessions.find(id), 'not-found')
  await fake.advance(2 * HOUR_MS)
  assert.equal(await right.sweep(), { sessions: 0, uploads: 0 })
  await fake.advance(DAY_MS)
  assert.equal(await right.sweep(), { sessions: 1, uploads: 0 })
})

test('reads no record', async () => {
  const { fake, store, host } = setUp()
  const counted = countingStore(store)
  const right = host({ store: { ...store, ...counted.store } })
  const sessions = await Promise.all(Array.from({ length: 50 }, () => right.create()))
  const reads = async () => {
    counted.reset()
    const swept = await right.sweep()
    return [swept, sessions.reduce((sum, { id }) => sum + counted.bytesOf(sessionKeys(id).record), 0)]
  }
  await fake.advance(DAY_MS - 1000)
  assert.equal(await reads(), [{ sessions: 0, uploads: 0 }, 0])
  await fake.advance(3000)
  assert.equal(await reads(), [{ sessions: 50, uploads: 0 }, 0])
  assert.equal(store.keys(), [])
})

test('a sweep that is over its time removes what it has found, and the next ones go on', async () => {
  const { fake, store, host } = setUp()
  const right = host()
  const sessions = await Promise.all(Array.from({ length: 20 }, right.create))
  await fake.advance(2 * DAY_MS)
  const slow = host({
    store: {
      ...store,
      async *list(...args) {
        for await (const found of store.list(...args)) {
          await fake.advance(30_000)
          yield found
        }
      },
    },
  })
  const counts: number[] = []
  for (let isOver = false; !isOver; ) {
    const swept = await slow.sweep()
    isOver = swept?.unfinished !== true
    counts.push(swept?.sessions ?? 0)
  }
  assert.ok(counts.length > 1, String(counts))
  assert.is(
    counts.reduce((sum, count) => sum + count, 0),
    sessions.length,
  )
  assert.equal(store.keys(), [])
})

test('a clock that is set during a sweep ends it', async ({ fake, store, host }) => {
  let jumpedMs = 0
  await Promise.all(Array.from({ length: 20 }, host().create))
  await fake.advance(DAY_MS / 2)
  const jumping = host({
    jumpedMs: () => jumpedMs,
    store: {
      ...store,
      async *list(...args) {
        for await (const found of store.list(...args)) {
          yield found
          jumpedMs = DAY_MS
        }
      },
    },
  })
  assert.equal(await jumping.sweep(), { sessions: 0, uploads: 0, unfinished: true })
})

test('removes the record that prevents a session after an hour, and what its slow worker stored later', async ({
  fake,
  store,
  host,
}) => {
  const right = host()
  const id = 'a'.repeat(32)
  const { record, preview } = sessionKeys(id)
  const late = [expiryKey(id, fake.unixTime() / 1000 + DAY_SECONDS), preview]
  for (const key of late) await store.putBytes(key, new Uint8Array(5), { contentType: 'video/mp4' })
  await right.sessions.settle(id)
  assert.equal(store.keys(), [record])
  for (const key of late) await store.putBytes(key, new Uint8Array(5), { contentType: 'video/mp4' })
  await fake.advance(HOUR_MS - 3000)
  assert.equal(await right.sweep(), { sessions: 0, uploads: 0 })
  await fake.advance(6000)
  assert.equal(await right.sweep(), { sessions: 1, uploads: 0 })
  assert.equal(store.keys(), [])
})

test('leaves a session of an older version alone, whose expiry no key tells', async ({
  fake,
  store,
  host,
}) => {
  const right = host()
  const { id, expiresAt } = await right.create()
  await store.delete([expiryKey(id, expiresAt)])
  await fake.advance(DAY_MS - 3000)
  assert.equal(await right.sweep(), { sessions: 0, uploads: 0 })
})

test('logs which sessions and files of whom it removes, by the hundred', async ({
  fake,
  store,
  host,
  removed,
}) => {
  const right = host({ ttlSeconds: 60 })
  const [one, other] = [await right.create('app'), await right.create()]
  const many = await Promise.all(Array.from({ length: 150 }, () => right.create('batch')))
  const unfinished = 'f'.repeat(32)
  const contentType = 'video/mp4'
  await store.putBytes(sessionKeys(unfinished).preview, new Uint8Array(5), { contentType })
  const [sent, unsent] = [
    await right.uploads.create({ size: 5, contentType }),
    await right.uploads.create({ size: 5, contentType }),
  ]
  await store.putBytes(`uploads/${sent.id}`, new Uint8Array(5), { contentType })
  await fake.advance(2 * HOUR_MS)
  assert.equal(await right.sweep(), { sessions: 153, uploads: 2 })
  assert.equal(store.keys(), [])
  const ofBatch = removed.filter((line) => 'client' in line && line.client === 'batch')
  const ids = (ofBatch as { session_ids: string[] }[]).map(({ session_ids }) => session_ids)
  assert.equal(ids.map(({ length }) => length).sort(), [100, 50])
  assert.equal(ids.flat().sort(), many.map(({ id }) => id).sort())
  const lineOf = (line: object) => JSON.stringify(line)
  assert.equal(
    removed
      .filter((line) => !ofBatch.includes(line))
      .map(lineOf)
      .sort(),
    [
      { client: 'app', expired: true, session_ids: [one.id] },
      { expired: true, session_ids: [other.id] },
      { expired: false, session_ids: [unfinished] },
      { expired: true, upload_ids: [sent.id] },
    ]
      .map(lineOf)
      .sort(),
  )
  assert.not.match(JSON.stringify(removed), unsent.id)
  const last = await right.create('app')
  await right.sessions.remove(last)
  assert.equal(store.keys(), [])
})

test('removes what interrupted checks of the store have left, and large answers', async ({
  fake,
  store,
  host,
}) => {
  for (const age of ['old', 'young']) {
    if (age === 'young') await fake.advance(HOUR_MS + 1)
    for (const prefix of ['check', 'answers'])
      await store.putBytes(`${prefix}/${age}`, new Uint8Array(1), { contentType: 'text/plain' })
  }
  await host().sweep()
  assert.equal(store.keys(), ['answers/young', 'check/young'])
})

test('fails where the store replaces what must not be replaced', async ({ fake, store, host }) => {
  await host().create()
  await fake.advance(2 * DAY_MS)
  const createBytes: typeof store.createBytes = async (...args) => {
    await store.putBytes(...args)
    return true
  }
  const careless = host({ store: { ...store, createBytes } })
  const { detail } = await rejectedRefusal(careless.sweep(), 'unavailable')
  assert.match(detail, /ignores If-None-Match/)
})

test('two hosts that sweep, read and clean up at once disturb neither each other nor what lasts', async () => {
  const { fake, store, host } = setUp()
  const [long, short] = [host({ ttlSeconds: 7 * DAY_SECONDS }), host({ ttlSeconds: 60 })]
  const lasting = await Promise.all(Array.from({ length: 10 }, () => long.create()))
  const brief = await Promise.all(Array.from({ length: 10 }, () => short.create()))
  await fake.advance(61_000)
  const [cleaned] = lasting.splice(0, 1)
  await Promise.all([
    ...[long, short, long, short].map(({ sweep }) => sweep()),
    ...brief.flatMap(({ id }) =>
      [long, short].map(({ sessions }) => rejectedRefusal(sessions.find(id), 'not-found')),
    ),
    ...lasting.map(async (session) => assert.equal(await short.sessions.find(session.id), session)),
    ...(cleaned ? [short.sessions.remove(cleaned)] : []),
  ])
  const ids = new Set(store.keys().map((key) => key.split('/')[1] ?? ''))
  assert.equal([...ids].sort(), lasting.map(({ id }) => id).sort())
})

test.run()
