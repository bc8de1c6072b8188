import { type Client, Quotas, removeOldQuotas } from '@lantern-room/clients'
import type { ObjectStore } from '@lantern-room/media/ports'
import { createFakeClock, type FakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { createMemoryStore } from '#support/store/memoryStore'
import { rejectedRefusal } from '#support/values/failures'

const NOON = Date.UTC(2026, 2, 4, 12)
const HALF_A_DAY = 12 * 3600
const app: Client = { id: 'token app', name: 'app' }

type Ground = { readonly clock: FakeClock; readonly store: ReturnType<typeof createMemoryStore> }
const test = suite<Ground>('quotas of clients', {
  setUp: () => ({ clock: createFakeClock(NOON), store: createMemoryStore() }),
})

function host(
  { clock, store }: { readonly clock: FakeClock; readonly store: ObjectStore },
  quota = { photos: 3 },
) {
  const refused: string[] = []
  const onRefused = (client: string) => void refused.push(client)
  return { refused, quotas: new Quotas({ store, clock, settings: new Map([['app', quota]]), onRefused }) }
}

/** Lets time pass until all work has ended, however it did. */
async function ended<T>(clock: FakeClock, work: readonly Promise<T>[]) {
  let isOver = false
  const all = Promise.allSettled(work).finally(() => {
    isOver = true
  })
  while (!isOver) await clock.advance(10)
  return all
}

const done = async () => 'done'

test('what does not fit is refused until the day ends, and then begins anew', async (ground) => {
  const { quotas, refused } = host(ground)
  for (let made = 0; made < 3; made += 1) assert.is(await quotas.spend(app, { photos: 1 }, done), 'done')
  const refusal = await rejectedRefusal(quotas.spend(app, { photos: 1 }, done), 'quota-exceeded')
  assert.is(refusal.retryAfterSeconds, HALF_A_DAY)
  assert.match(refusal.detail, /3 of 3 photos are used. It begins anew at midnight \(UTC\), in 43200 s/)
  assert.is((await rejectedRefusal(quotas.check(app, { photos: 0 }))).code, 'quota-exceeded')
  assert.equal(refused, ['app', 'app'])
  await ground.clock.advance((HALF_A_DAY - 1) * 1000)
  assert.is((await rejectedRefusal(quotas.check(app, { photos: 1 }))).retryAfterSeconds, 1)
  await ground.clock.advance(1000)
  assert.is(await quotas.spend(app, { photos: 1 }, done), 'done')
})

test('two hosts of one store count together, however many requests come at once, and exceed nothing', async (ground) => {
  const [one, other] = [host(ground, { photos: 25 }), host(ground, { photos: 25 })]
  const work = Array.from({ length: 40 }, (_, index) =>
    (index % 2 ? one : other).quotas.spend(app, { photos: 1 }, done),
  )
  const outcomes = await ended(ground.clock, work)
  assert.is(outcomes.filter(({ status }) => status === 'fulfilled').length, 25)
  assert.is(one.refused.length + other.refused.length, 15)
  // One write for each.
  assert.is(ground.store.keys().length, 25)
  const late = host(ground, { photos: 26 })
  assert.is(await late.quotas.spend(app, { photos: 1 }, done), 'done')
  await rejectedRefusal(late.quotas.check(app, { photos: 1 }), 'quota-exceeded')
})

test('failed work is given back, and work of unknown size needs something to be left', async (ground) => {
  const quota = { photos: 9, seconds: 10, bytes: 1000 }
  const { quotas } = host(ground, quota)
  const failing = quotas.spend(app, { seconds: 9.5, bytes: 900 }, () => Promise.reject(new Error('broken')))
  await failing.then(assert.unreachable, (error) => assert.is(error.message, 'broken'))
  await quotas.spend(app, { seconds: 9.9, bytes: 100 }, done)
  await quotas.check(app, { seconds: 0, bytes: 0 })
  await rejectedRefusal(quotas.spend(app, { seconds: 0.2 }, done), 'quota-exceeded')
  await rejectedRefusal(quotas.check(app, { bytes: 901 }), 'quota-exceeded')
  await quotas.spend(app, { seconds: 0.1, bytes: 900 }, done)
  await rejectedRefusal(quotas.check(app, { seconds: 0 }), 'quota-exceeded')
  await quotas.check(app, { photos: 1 })
})

test('clients without a quota, or without a name, touch no store', async ({ clock }) => {
  const touched = (): never => {
    throw new Error('the store was asked')
  }
  const store = { get: touched, createBytes: touched, list: touched }
  const quotas = new Quotas({ store, clock, settings: new Map([['app', { photos: 1 }]]) })
  for (const client of [{ id: '192.0.2.7' }, { id: 'token web', name: 'web' }]) {
    await quotas.check(client, { photos: 1 })
    assert.is(await quotas.spend(client, { photos: 5 }, done), 'done')
  }
})

test('an entry whose answer was lost is not counted twice', async (ground) => {
  let isLost = true
  const createBytes: ObjectStore['createBytes'] = async (key, bytes, options) => {
    const isCreated = await ground.store.createBytes(key, bytes, options)
    // As a client of S3 that has asked again.
    return isLost ? false : isCreated
  }
  const { quotas } = host({ clock: ground.clock, store: { ...ground.store, createBytes } })
  await quotas.spend(app, { photos: 1 }, done)
  isLost = false
  await quotas.spend(app, { photos: 2 }, done)
  assert.is(ground.store.keys().length, 2)
  await rejectedRefusal(quotas.check(app, { photos: 1 }), 'quota-exceeded')
})

test('a store that never takes an entry ends in 429, and the work is not done', async ({ clock, store }) => {
  const { quotas } = host({ clock, store: { ...store, createBytes: async () => false } })
  const [outcome] = await ended(clock, [quotas.spend(app, { photos: 1 }, async () => assert.unreachable())])
  assert.is(outcome?.status === 'rejected' && outcome.reason.code, 'too-busy')
})

test('names that differ in case have logs of their own, also on disks that do not tell them apart', async (ground) => {
  const names = ['app', 'App', '_app', '..']
  const settings = new Map(names.map((name) => [name, { photos: 1 }]))
  const quotas = new Quotas({ store: ground.store, clock: ground.clock, settings })
  for (const name of names) await quotas.spend({ name }, { photos: 1 }, done)
  const folders = ground.store.keys().map((key) => key.split('/')[2]?.toLowerCase())
  assert.equal([new Set(folders).size, folders.includes('..')], [4, false])
})

test('days before yesterday are removed', async (ground) => {
  const { quotas } = host(ground)
  const days: string[] = []
  for (let day = 0; day < 4; day += 1) {
    await quotas.spend(app, { photos: 1 }, done)
    days.push(new Date(ground.clock.unixTime()).toISOString().slice(0, 10))
    if (day < 3) await ground.clock.advance(24 * 3600_000)
  }
  await removeOldQuotas(ground.store, ground.clock.unixTime(), () => false)
  assert.is(ground.store.keys().length, 4)
  await removeOldQuotas(ground.store, ground.clock.unixTime(), () => true)
  assert.equal(
    ground.store.keys().map((key) => key.split('/')[1]),
    days.slice(2),
  )
})

test.run()
