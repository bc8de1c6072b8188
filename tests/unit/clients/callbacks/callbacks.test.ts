import { createSecretKey } from 'node:crypto'
import { Callbacks, type PostText, readTold, type UploadOutcome } from '@lantern-room/clients'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { createMemoryStore } from '#support/store/memoryStore'

const test = suite('callbacks over a day')

const ID = '0'.repeat(31)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const { signal: never } = new AbortController()
const secret = (byte: number) => createSecretKey(new Uint8Array(32).fill(byte))

/** Hosts of one store, and a receiver whose answers can be changed. */
function ground() {
  const clock = createFakeClock()
  const store = createMemoryStore(clock.unixTime)
  const posted: { readonly at: number; readonly id: string; readonly body: string }[] = []
  const ended: string[] = []
  const warnings: string[] = []
  const outcomes = new Map<string, UploadOutcome>()
  let answer: () => Promise<number> = async () => 204
  const post: PostText = async (_url, { headers, body }) => {
    posted.push({ at: clock.now(), id: headers['webhook-id'] ?? '', body })
    return answer()
  }
  const ofApp = { origins: ['https://app.example.com'], secrets: [secret(1), secret(2)] }
  const host = (settings = new Map([['app', ofApp]])) =>
    new Callbacks({
      store,
      clock,
      post,
      settings: { everyone: undefined, byName: settings },
      log: { warn: (message) => void warnings.push(message) },
      outcomeOf: async (id) => outcomes.get(id) ?? 'gone',
      onEnd: (how, client) => void ended.push(`${how} ${client}`),
    })
  const uploadOf = (index: number) => `${ID}${index.toString(16)}`
  const asked = (index = 0, origin = 'https://app.example.com') => ({
    url: `${origin}/done`,
    uploadId: uploadOf(index),
    client: 'app',
  })
  const done = (index = 0) =>
    outcomes.set(uploadOf(index), { updatedAt: clock.unixTime() / 1000, body: { state: 'done' } })
  /** Lets work end that waits between its tries. */
  async function through<T>(work: Promise<T>): Promise<T> {
    let isOver = false
    const end = () => {
      isOver = true
    }
    work.then(end, end)
    while (!isOver) await clock.advance(500)
    return work
  }
  /** As hosts look for what is due, every quarter of a minute. */
  async function pass(ms: number, hosts: readonly Callbacks[]) {
    const until = clock.now() + ms
    while (clock.now() < until) {
      await clock.advance(15_000)
      await through(Promise.all(hosts.map((each) => each.deliverDue(never))))
    }
  }
  return {
    clock,
    store,
    posted,
    ended,
    warnings,
    outcomes,
    host,
    asked,
    done,
    through,
    pass,
    uploadOf,
    answer: (next: typeof answer) => {
      answer = next
    },
    told: (index = 0) => readTold(store, uploadOf(index)),
    due: () => store.keys().filter((key) => key.startsWith('callbacks/due/')),
  }
}

const away = async () => {
  throw new Error('connect ECONNREFUSED')
}

test('a receiver that is away for an hour gets it then, once, with the same id and words, from whatever host', async () => {
  const { host, asked, done, answer, through, pass, posted, told, ended, due, clock } = ground()
  const [one, other] = [host(), host()]
  done()
  answer(away)
  await through(one.tell(asked(), never))
  assert.is(posted.length, 3)
  assert.equal([(await told())?.state, (await told())?.tries], ['pending', 3])
  assert.is((await told())?.nextAt, Math.floor(clock.unixTime() / 1000) - 4 + 30)
  await pass(59 * MINUTE, [one, other])
  assert.is(posted.length, 6)
  answer(async () => 204)
  await pass(2 * MINUTE, [one, other])
  assert.is(posted.length, 7)
  assert.equal(
    [new Set(posted.map(({ id }) => id)).size, new Set(posted.map(({ body }) => body)).size],
    [1, 1],
  )
  const delays = posted.map(({ at }, index) => at - (posted[index - 1]?.at ?? at))
  for (const [index, ms] of [0, 1000, 3000, 26_000, 90_000, 480_000, 3_000_000].entries())
    assert.ok(Math.abs((delays[index] ?? 0) - ms) <= 20_000, `${index}: ${delays[index]}`)
  assert.equal([(await told())?.state, (await told())?.tries, ended], ['delivered', 7, ['delivered app']])
  await pass(24 * HOUR, [other])
  assert.equal([posted.length, due()], [7, []])
})

test('a receiver that never answers is given up after a day, and that is told', async () => {
  const { host, asked, done, answer, through, pass, posted, told, ended, warnings, due, clock } = ground()
  const one = host()
  done()
  answer(async () => 500)
  const began = clock.now()
  await through(one.tell(asked(), never))
  for (let hour = 0; hour < 25; hour += 1) {
    await clock.advance(HOUR - MINUTE)
    await pass(MINUTE, [one])
  }
  assert.is((posted.at(-1)?.at ?? 0) - began >= 24 * HOUR, true)
  assert.is((posted.at(-1)?.at ?? 0) - began < 25 * HOUR, true)
  assert.equal([(await told())?.state, (await told())?.nextAt], ['given_up', undefined])
  assert.is((await told())?.tries, posted.length)
  assert.equal([ended, warnings.filter((line) => line.includes('given up')).length], [['given_up app'], 1])
  assert.equal(due(), [])
  const { length } = posted
  await pass(HOUR, [one, host()])
  assert.is(posted.length, length)
})

test('a process that is killed before, between or during tries loses nothing', async () => {
  const { host, asked, done, answer, through, pass, posted, told, due, clock, outcomes, uploadOf } = ground()
  // Before there is an outcome.
  outcomes.set(uploadOf(0), 'pending')
  await host().expect(asked())
  await pass(3 * MINUTE, [host()])
  assert.equal([posted.length, due().length], [0, 1])
  done()
  // During a try: it never comes back.
  const killed = new Promise<number>(() => undefined)
  answer(() => killed)
  void host().deliverDue(never)
  await clock.advance(3 * MINUTE)
  void host().deliverDue(never)
  await clock.advance(0)
  assert.is(posted.length, 1)
  assert.equal([(await told())?.state, due().length], ['pending', 2])
  answer(async () => 200)
  await pass(HOUR, [host(), host()])
  assert.equal([new Set(posted.map(({ id }) => id)).size, (await told())?.state, due()], [1, 'delivered', []])
  assert.is(posted.length, 2)
  await through(host().tell(asked(), never))
  assert.is(posted.length, 2)
})

test('what waits in a queue for most of a day is not given up meanwhile, and told by a host that finds it done', async () => {
  const { host, asked, done, pass, posted, ended, due, clock, outcomes, uploadOf } = ground()
  outcomes.set(uploadOf(0), 'pending')
  await host().expect(asked())
  for (let hour = 0; hour < 26; hour += 1) {
    if (hour === 20) done()
    await clock.advance(HOUR - MINUTE)
    await pass(MINUTE, [host()])
    if (hour < 20) assert.equal([posted.length, ended, due().length], [0, [], 1], `${hour} h`)
  }
  assert.equal([posted.length, ended, due()], [1, ['delivered app'], []])
})

test('many hosts at the same moment send one try, and hosts that were all away catch up with one', async () => {
  const { host, asked, done, answer, through, posted, clock, told } = ground()
  const hosts = Array.from({ length: 5 }, () => host())
  done()
  answer(away)
  await through(hosts[0]?.tell(asked(), never) ?? Promise.reject())
  await clock.advance(5 * HOUR)
  await through(Promise.all(hosts.map((each) => each.deliverDue(never))))
  assert.is(posted.length, 4)
  assert.is(
    (await told())?.nextAt,
    Math.floor((posted[0]?.at ?? 0) / 1000) + clock.unixTime() / 1000 - clock.now() / 1000 + 6 * 3600,
  )
})

test('an origin that does not answer does not hold up the others', async () => {
  const { host, asked, done, answer, through, posted, told, clock } = ground()
  const one = host()
  for (let index = 0; index < 16; index += 1) done(index)
  answer(away)
  await through(Promise.all(Array.from({ length: 16 }, (_, index) => one.tell(asked(index), never))))
  const before = posted.length
  await clock.advance(MINUTE)
  await through(one.deliverDue(never))
  // Those that were on their way when the third had failed, and no other.
  assert.ok(posted.length - before <= 8 + 3, `${posted.length - before} tries`)
  answer(async () => 204)
  await clock.advance(2 * MINUTE)
  await through(one.deliverDue(never))
  for (let index = 0; index < 16; index += 1) assert.is((await told(index))?.state, 'delivered')
})

test('nothing is sent where the settings do not allow it any more, nor to what a client may not have called', async () => {
  const { host, asked, done, answer, through, pass, posted, told } = ground()
  const one = host()
  const { url, uploadId } = asked(0, 'https://other.example')
  assert.throws(() => one.check(url, uploadId, { name: 'app' }), /CALLBACK_ORIGINS/)
  assert.throws(() => one.check(asked().url, uploadId, { name: 'web' }), /CALLBACK_ORIGINS/)
  assert.throws(() => one.check(asked().url, undefined, { name: 'app' }), /needs an upload_id/)
  one.check(asked().url, uploadId, { name: 'app' })
  done()
  answer(away)
  await through(one.tell(asked(), never))
  await pass(HOUR, [host(new Map())])
  assert.equal([posted.length, (await told())?.state], [3, 'pending'])
})

test('ids that are none, and objects of another version, make no keys and stop nothing', async () => {
  const { host, asked, store, through, done, posted, clock, due } = ground()
  await host().expect({ ...asked(), uploadId: '../../sessions/x' })
  assert.equal(due(), [])
  const key = `callbacks/due/${'0'.repeat(11)}-${'f'.repeat(32)}`
  await store.putBytes(key, new TextEncoder().encode('{"version":2}'), { contentType: 'application/json' })
  done()
  await host().expect(asked())
  await clock.advance(2 * MINUTE)
  await through(host().deliverDue(never))
  assert.equal([posted.length, due()], [1, []])
})

test.run()
