import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { assert, suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'
import { rejection, thrownBy } from '#support/values/failures'

const seedVariable = 'PROPERTY_SEED'
const test = suite('property tests')

let given: string | undefined
test.before.each(() => {
  given = process.env[seedVariable]
  delete process.env[seedVariable]
})
test.after.each(() => {
  delete process.env[seedVariable]
  if (given !== undefined) process.env[seedVariable] = given
})

test('without a given seed the cases are the same each time', () => {
  assert.equal(casesOf(20), casesOf(20))
  assert.is(casesOf(20).length, 20)
  assert.is(casesOf().length, 100)
})

test('another seed brings ten times as many other cases', () => {
  const fixed = casesOf(20)
  process.env[seedVariable] = '99'
  const other = casesOf(20)
  assert.is(other.length, 200)
  assert.equal(other, casesOf(20))
  assert.not.equal(other.slice(0, 20), fixed)
})

test('a failure shows the smallest case, its error, and how to repeat it', () => {
  process.env[seedVariable] = '99'
  const error = failureOf(() =>
    assertProperty(
      fc.property(fc.nat(), (value) => {
        if (value >= 7) throw new Error('too large')
      }),
    ),
  )
  assert.match(error.message, 'Counterexample: [7]')
  assert.match(error.message, 'To repeat: PROPERTY_SEED=99 npm test ')
  assert.is(error.cause instanceof Error && error.cause.message, 'too large')
})

test('on the fixed seed it is repeated without one', () => {
  assert.match(
    failureOf(() => assertProperty(fc.property(fc.nat(), () => false))).message,
    'To repeat: npm test -- <words',
  )
})

test('a property that needs time fails and passes by a promise', async () => {
  await assertProperty(fc.asyncProperty(fc.nat(), async (value) => value >= 0))
  const failed = await rejection(assertProperty(fc.asyncProperty(fc.nat(), async () => false)))
  assert.match(String(failed), 'Counterexample: [0]')
})

test('nothing else in tests runs a property', async () => {
  const direct = /\bfc\.(assert|check|sample|statistics|configureGlobal)\b/
  const own = ['support/values/assertProperty.ts', 'unit/support/assertProperty.test.ts']
  const files = (await readdir('tests', { recursive: true })).filter(
    (path) => path.endsWith('.ts') && !path.includes('node_modules') && !own.includes(path),
  )
  assert.ok(files.length > 100)
  for (const path of files)
    assert.not.match(await readFile(join('tests', path), 'utf8'), direct, `tests/${path} uses assertProperty`)
})

function casesOf(numRuns?: number): number[] {
  const cases: number[] = []
  const property = fc.property(fc.nat(), (value) => void cases.push(value))
  assertProperty(property, numRuns === undefined ? {} : { numRuns })
  return cases
}

function failureOf(step: () => void): Error {
  const error = thrownBy(step)
  if (error instanceof Error) return error
  throw error
}

test.run()
