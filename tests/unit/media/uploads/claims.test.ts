import type { ServiceError } from '@lantern-room/base'
import { createDeferred, onAbort } from '@lantern-room/base/async'
import { Sessions } from '#internal/media/sessions/sessions'
import { claimKeys, MAX_CLAIMS } from '#internal/media/uploads/claims'
import { followUpload } from '#internal/media/uploads/followUpload'
import { uploadKeys } from '#internal/media/uploads/upload'
import { Uploads } from '#internal/media/uploads/uploads'
import { PREVIEW } from '#support/media/prepared'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { createMemoryStore } from '#support/store/memoryStore'
import { rejectedRefusal } from '#support/values/failures'
import { silentLog } from '#support/values/testLog'

const { signal } = new AbortController()

/** Hosts on one store. A host that is asleep reaches neither the store nor its clock. */
function setUp() {
  const clock = createFakeClock()
  const store = createMemoryStore(clock.unixTime)
  const shared = { now: clock.unixTime, log: silentLog() }

  function host() {
    const own = { isAsleep: false }
    const putBytes: typeof store.putBytes = async (...args) => {
      if (!own.isAsleep) await store.putBytes(...args)
    }
    const head: typeof store.head = async (key) => {
      if (own.isAsleep) throw new Error('asleep')
      return store.head(key)
    }
    const uploads = new Uploads({ ...shared, metrics, clock, store: { ...store, putBytes, head } })
    const sessions = new Sessions({ ...shared, store, ttlSeconds: 3600, mayRemove: () => true })
    const settle = (id: string) => sessions.settle(id)
    /** Prepares an upload, which takes until `go`. */
    const prepare = (id: string, go: Promise<void> = Promise.resolve()) =>
      uploads.use(
        id,
        { signal },
        {
          settle,
          work: async (_upload, path, watched, sessionId) => {
            await go
            return sessions.create(PREVIEW, { path }, watched.signal, sessionId)
          },
        },
      )
    return Object.assign(own, { uploads, sessions, prepare })
  }

  const records = () => store.keys().filter((key) => key.endsWith('session.json'))
  const upload = async () => {
    const { uploads } = host()
    const { id } = await uploads.create({ size: 5, contentType: 'video/mp4' })
    await store.putBytes(uploadKeys(id).file, new Uint8Array(5), { contentType: 'video/mp4' })
    return id
  }
  const stateOf = async (id: string) =>
    (await followUpload({ uploads: host().uploads, store, clock }, id)).state
  return { clock, store, host, upload, records, stateOf }
}

const test = suite('claims on an upload', { setUp })
const metrics = { counted: () => undefined }

test('a worker that is silent for half a minute loses its upload, and can no longer store its session', async (t) => {
  const [old, next] = [t.host(), t.host()]
  const id = await t.upload()
  const go = createDeferred()
  const first = old.prepare(id, go.promise)
  await t.clock.advance(5000)
  assert.is(await t.stateOf(id), 'preparing')
  old.isAsleep = true
  await t.clock.advance(20_000)
  const { retryAfterSeconds } = await rejectedRefusal(next.prepare(id), 'conflict')
  assert.is(retryAfterSeconds, 30)
  await t.clock.advance(16_000)
  assert.is(await t.stateOf(id), 'failed')

  const session = await next.prepare(id)
  go.resolve()
  await rejectedRefusal(first, 'conflict')
  assert.equal(t.records(), [`sessions/${session.id}/session.json`])
  assert.equal(await next.sessions.find(session.id), session)
  assert.is(await t.stateOf(id), 'done')
})

test('an upload that is finished between two looks at it is done', async ({ upload, host, store, clock }) => {
  const states: string[] = []
  for (const finishedBefore of [1, 2, 3, 4, 5]) {
    const id = await upload()
    const go = createDeferred()
    const work = host().prepare(id, go.promise)
    await clock.advance(2000)
    let looks = 0
    const finish = async () => {
      looks += 1
      if (looks === finishedBefore) await work
    }
    go.resolve()
    const slow = {
      ...store,
      get: (key: string) => finish().then(() => store.get(key)),
      head: (key: string) => finish().then(() => store.head(key)),
    }
    const uploads = new Uploads({ clock, log: silentLog(), metrics, store: slow })
    states.push((await followUpload({ uploads, store: slow, clock }, id)).state)
  }
  assert.equal(states, ['done', 'done', 'done', 'preparing', 'preparing'])
})

test('an upload that is finished while another caller asks for it is in use, then unknown to that caller', async (t) => {
  const codes: string[] = []
  for (const finishedBefore of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) {
    const id = await t.upload()
    const go = createDeferred()
    const work = t.host().prepare(id, go.promise)
    await t.clock.advance(2000)
    let calls = 0
    const finish = async () => {
      calls += 1
      if (calls !== finishedBefore) return
      go.resolve()
      await work
    }
    const slowed =
      <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
      async (...args: A) => {
        await finish()
        return call(...args)
      }
    const { get, head, createBytes } = t.store
    const store = { ...t.store, get: slowed(get), head: slowed(head), createBytes: slowed(createBytes) }
    const uploads = new Uploads({ clock: t.clock, log: silentLog(), metrics, store })
    const asked = uploads.use(id, { signal }, { work: async () => assert.unreachable() })
    codes.push(
      await asked.then(
        () => 'used',
        ({ code }: ServiceError) => code,
      ),
    )
    go.resolve()
    await work
    assert.is(await t.stateOf(id), 'done')
  }
  assert.equal(codes, [...Array(8).fill('not-found'), ...Array(2).fill('conflict')])
})

test('a worker that wakes up is told, and leaves the upload to the one that took it over', async (t) => {
  const [old, next] = [t.host(), t.host()]
  const id = await t.upload()
  const aborted = createDeferred()
  const first = old.uploads.use(
    id,
    { signal },
    {
      settle: old.sessions.settle.bind(old.sessions),
      work: async (_upload, _key, watched) => {
        onAbort(watched.signal, () => aborted.resolve())
        await aborted.promise
        throw watched.signal.reason
      },
    },
  )
  const refused = rejectedRefusal(first, 'conflict')
  await t.clock.advance(1000)
  old.isAsleep = true
  await t.clock.advance(42_000)
  const go = createDeferred()
  const second = next.prepare(id, go.promise)
  await t.clock.advance(1000)
  old.isAsleep = false
  await t.clock.advance(2000)
  assert.match((await refused).detail, /prepared elsewhere/)
  assert.is(await t.stateOf(id), 'preparing')
  go.resolve()
  await next.sessions.find((await second).id)
})

test('a session that was stored before its worker was killed is the answer', async (t) => {
  const [old, next] = [t.host(), t.host()]
  const id = await t.upload()
  let sessionId = ''
  const dying = old.uploads.use(
    id,
    { signal },
    {
      settle: old.sessions.settle.bind(old.sessions),
      work: async (_upload, path, watched, ours) => {
        sessionId = (await old.sessions.create(PREVIEW, { path }, watched.signal, ours)).id
        old.isAsleep = true
        return createDeferred<never>().promise
      },
    },
  )
  dying.catch(() => undefined)
  await t.clock.advance(42_000)
  assert.is((await next.prepare(id)).id, sessionId)
  assert.is(t.records().length, 1)
})

test('a file at which every worker ends is refused in the end', async (t) => {
  const id = await t.upload()
  for (let tries = 1; tries <= MAX_CLAIMS; tries += 1) {
    const dying = t.host()
    dying.prepare(id, createDeferred().promise).catch(() => undefined)
    await t.clock.advance(0)
    dying.isAsleep = true
    await t.clock.advance(42_000)
  }
  assert.equal(
    claimKeys(id).filter((key) => t.store.keys().includes(key)),
    claimKeys(id),
  )
  const { detail } = await rejectedRefusal(t.host().prepare(id), 'invalid-request')
  assert.match(detail, /stopped each time/)
  await rejectedRefusal(t.host().prepare(id), 'not-found')
  assert.is(await t.stateOf(id), 'failed')
})

test.run()
