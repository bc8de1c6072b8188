import { ServiceError } from '@lantern-room/base'
import { requireConditionalWrites } from '#internal/media/objectStore/requireConditionalWrites'
import { createStoreClock } from '#internal/media/objectStore/storeClock'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { createMemoryStore } from '#support/store/memoryStore'
import { rejectedRefusal } from '#support/values/failures'
import { createTestLog } from '#support/values/testLog'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** What a store rounds. */
const ABOUT = 2 * SECOND

/** A machine and a store, each with a clock of its own. Time passes for both by `fake.advance`. */
function setUp() {
  const fake = createFakeClock()
  const machine = { aheadMs: 0 }
  const clock = { ...fake, unixTime: () => fake.unixTime() + machine.aheadMs }
  const store = createMemoryStore(fake.unixTime)
  const log = createTestLog()
  const storeClock = createStoreClock({ store, clock, log })
  const errorMs = () => storeClock.unixTime() - fake.unixTime()
  return { fake, machine, clock, store, log, storeClock, errorMs }
}

const test = suite('the clock of a store', { setUp })

test('until it is measured, it is that of the machine, and removes nothing', ({
  machine,
  storeClock,
  errorMs,
}) => {
  machine.aheadMs = 25 * HOUR
  assert.is(errorMs(), 25 * HOUR)
  assert.equal([storeClock.warning(), storeClock.mayRemove()], [undefined, false])
})

for (const [aheadMs, warning, mayRemove] of [
  [0, undefined, true],
  [57 * SECOND, undefined, true],
  [MINUTE, /^It is 1 min ahead of the clock of the storage\. Set it, for example by NTP\.$/, true],
  [4 * MINUTE, /^It is 4 min ahead of the clock of the storage\. Set it, for example by NTP\.$/, true],
  [
    5 * MINUTE,
    /^It is 5 min ahead of .* by NTP\. Until then this host removes nothing that has expired\.$/,
    false,
  ],
  [25 * HOUR, /^It is 25 h ahead of .* removes nothing/, false],
] as const)
  for (const direction of [1, -1])
    test(`a machine that is ${(direction * aheadMs) / SECOND} s ahead takes the time of the store`, async () => {
      const { machine, storeClock, errorMs, log, store } = setUp()
      machine.aheadMs = direction * aheadMs
      await storeClock.measure()
      assert.ok(Math.abs(errorMs()) <= ABOUT, `${errorMs()} ms off`)
      assert.is(storeClock.mayRemove(), mayRemove)
      const said = storeClock.warning()?.replace('behind', 'ahead of')
      if (warning) assert.match(said ?? '', warning)
      else assert.is(said, undefined)
      assert.equal(log.warnings, warning ? ['the clock of this machine is wrong'] : [])
      assert.equal(store.keys(), [], 'the check object is removed')
    })

test('a clock that was wrong at the start and is set later is right at once', async () => {
  const { fake, machine, storeClock, errorMs } = setUp()
  machine.aheadMs = 25 * HOUR
  await storeClock.measure()
  machine.aheadMs = 0
  assert.ok(Math.abs(errorMs()) <= ABOUT, `${errorMs()} ms off before it is measured again`)
  assert.is(storeClock.mayRemove(), false, 'not before it is measured again')
  await fake.advance(11 * SECOND)
  storeClock.unixTime()
  await fake.advance(0)
  assert.ok(Math.abs(errorMs()) <= ABOUT, `${errorMs()} ms off`)
  assert.equal([storeClock.warning(), storeClock.mayRemove()], [undefined, true])
})

test('a clock that becomes wrong between two measurements removes nothing', async () => {
  const { fake, machine, storeClock, errorMs } = setUp()
  await storeClock.measure()
  await fake.advance(MINUTE)
  machine.aheadMs = 25 * HOUR
  assert.ok(Math.abs(errorMs()) <= ABOUT, `${errorMs()} ms off`)
  assert.is(storeClock.mayRemove(), false)
  await fake.advance(0)
  assert.ok(Math.abs(errorMs()) <= ABOUT, `${errorMs()} ms off`)
  assert.match(storeClock.warning() ?? '', /25 h ahead/)
})

test('a machine that slept asks the store again', async () => {
  const { fake, store, log } = setUp()
  let sleptMs = 0
  const awake = { ...fake, now: () => fake.now() - sleptMs }
  const storeClock = createStoreClock({ store, clock: awake, log })
  await storeClock.measure()
  await fake.advance(8 * HOUR)
  sleptMs = 8 * HOUR - MINUTE
  assert.is(storeClock.mayRemove(), false)
  storeClock.unixTime()
  await fake.advance(0)
  assert.is(storeClock.unixTime(), fake.unixTime())
  assert.is(storeClock.mayRemove(), true)
})

test('a store that fails then is asked again ten seconds later, and not for each request', async () => {
  const { fake, machine, clock, store, log } = setUp()
  let isBroken = false
  let asked = 0
  const createBytes: typeof store.createBytes = (...args) => {
    asked += 1
    return isBroken ? Promise.reject(new ServiceError('unavailable', 'No.')) : store.createBytes(...args)
  }
  const storeClock = createStoreClock({ store: { ...store, createBytes }, clock, log })
  await storeClock.measure()
  await fake.advance(MINUTE)
  isBroken = true
  machine.aheadMs = HOUR
  asked = 0
  for (let request = 0; request < 100; request += 1) {
    assert.ok(Math.abs(storeClock.unixTime() - fake.unixTime()) <= ABOUT)
    await fake.advance(0)
  }
  assert.equal([asked, log.warnings], [1, ['the clock of the storage was not measured']])
  isBroken = false
  await fake.advance(10 * SECOND)
  storeClock.unixTime()
  await fake.advance(0)
  assert.match(storeClock.warning() ?? '', /60 min ahead/)
})

test('a slow store is not taken for a wrong clock', async () => {
  const { fake, clock, store, log } = setUp()
  const slow: typeof store = {
    ...store,
    async createBytes(...args) {
      const created = await store.createBytes(...args)
      await fake.advance(10 * MINUTE)
      return created
    },
  }
  const storeClock = createStoreClock({ store: slow, clock, log })
  await storeClock.measure()
  assert.equal([storeClock.aheadMs(), storeClock.mayRemove()], [0, true])
})

const conditional = suite('a store that is to be used by several hosts', { setUp })

conditional('is accepted when it refuses to create an object twice', async ({ storeClock }) => {
  await requireConditionalWrites(storeClock, undefined)
})

for (const [place, words] of [
  [
    undefined,
    /^The data folder \(DATA_DIR\) cannot be used: it replaced .* Set DATA_DIR to a folder on a local disk\.$/,
  ],
  [
    { bucket: 'films', endpoint: undefined },
    /^The bucket films \(S3_BUCKET\) cannot be used: it replaced .*unset S3_BUCKET\.$/,
  ],
] as const)
  conditional(`is refused when it does not: ${place?.bucket ?? 'a folder'}`, async () => {
    const { clock, store, log } = setUp()
    const createBytes: typeof store.createBytes = async (...args) => {
      await store.putBytes(...args)
      return true
    }
    const careless = createStoreClock({ store: { ...store, createBytes }, clock, log })
    const refusal = await rejectedRefusal(requireConditionalWrites(careless, place), 'unavailable')
    assert.match(refusal.detail, words)
    assert.equal(store.keys(), [])
  })

for (const failing of ['createBytes', 'head', 'nothing kept'] as const)
  conditional(`is refused when it fails: ${failing}`, async () => {
    const { clock, store, log } = setUp()
    const fail = () => Promise.reject(new ServiceError('unavailable', 'The storage does not work.'))
    const broken =
      failing === 'nothing kept' ? { ...store, head: async () => undefined } : { ...store, [failing]: fail }
    const storeClock = createStoreClock({ store: broken, clock, log })
    const bucket = { bucket: 'films', endpoint: 'https://s3.example.com' }
    const refusal = await rejectedRefusal(requireConditionalWrites(storeClock, bucket), 'unavailable')
    assert.match(
      refusal.detail,
      /^The bucket films \(S3_BUCKET\) at https:\/\/s3\.example\.com \(S3_ENDPOINT\) .* failed to write/,
    )
    assert.instance(refusal.cause, ServiceError)
    assert.equal(store.keys(), [])
  })

test.run()
conditional.run()
