import { ServiceError } from '#core/errors'
import { createReadiness } from '#core/media/readiness'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('readiness')
const fails = (code: ConstructorParameters<typeof ServiceError>[0]) => () =>
  Promise.reject(new ServiceError(code, 'The bucket family-films does not exist.'))

function setUp(machine: { check?: () => Promise<void>; version?: () => Promise<string> } = {}) {
  const clock = createFakeClock()
  const asked = { store: 0, ffmpeg: 0 }
  const readiness = createReadiness({
    clock,
    store: {
      check: () => {
        asked.store += 1
        return machine.check?.() ?? Promise.resolve()
      },
    },
    ffmpeg: {
      version: () => {
        asked.ffmpeg += 1
        return machine.version?.() ?? Promise.resolve('ffmpeg version 7')
      },
    },
  })
  const failure = () =>
    readiness.check().then(
      () => undefined,
      (error: unknown) => error,
    )
  return { readiness, clock, asked, failure }
}

test('a store and an ffmpeg that work are ready', async () => {
  await setUp().readiness.check()
})

for (const [thrown, code] of [
  ['unavailable', 'unavailable'],
  ['timeout', 'timeout'],
  ['internal', 'unavailable'],
] as const)
  test(`a store that fails with ${thrown} is ${code}, without the store's own words`, async () => {
    const error = await setUp({ check: fails(thrown) }).failure()
    assert.ok(error instanceof ServiceError)
    assert.is(error.code, code)
    assert.not.match(error.detail, /family-films/)
    assert.match(String(error.cause), /family-films/)
  })

test('an ffmpeg that does not run is what it says', async () => {
  assert.match(String(await setUp({ version: fails('unavailable') }).failure()), /family-films/)
})

test('a hundred at once and those of the next five seconds are one check', async () => {
  const { readiness, clock, asked } = setUp()
  await Promise.all(Array.from({ length: 100 }, () => readiness.check()))
  await clock.advance(4999)
  await readiness.check()
  assert.equal(asked, { store: 1, ffmpeg: 1 })
  await clock.advance(1)
  await readiness.check()
  assert.equal(asked, { store: 2, ffmpeg: 2 })
})

test('a failure is shared and remembered in the same way, and then tried again', async () => {
  let isBroken = true
  const check = () => (isBroken ? fails('unavailable')() : Promise.resolve())
  const { clock, asked, failure } = setUp({ check })
  const errors = await Promise.all([failure(), failure()])
  assert.ok(errors[0] instanceof ServiceError && errors[0] === errors[1])
  isBroken = false
  assert.is(await failure(), errors[0])
  assert.is(asked.store, 1)
  await clock.advance(5000)
  assert.is(await failure(), undefined)
})

test('what is remembered is told without a check, for five seconds', async () => {
  const { readiness, clock, asked } = setUp({ check: fails('timeout') })
  assert.is(readiness.remembered(), undefined)
  assert.equal(asked, { store: 0, ffmpeg: 0 })
  await readiness.check().catch(() => undefined)
  assert.instance(readiness.remembered()?.problem, ServiceError)
  await clock.advance(5000)
  assert.is(readiness.remembered(), undefined)
  assert.is(asked.store, 1)
})

test.run()
