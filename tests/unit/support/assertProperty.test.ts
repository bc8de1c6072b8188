import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { assert, suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'
import { rejection, thrownBy } from '#support/values/failures'

const test = suite('property tests')

test('a property that does not hold fails, at once or by a promise, with the smallest case', async () => {
  const atOnce = thrownBy(() => assertProperty(fc.property(fc.nat(), (value) => value < 7)))
  const later = await rejection(assertProperty(fc.asyncProperty(fc.nat(), async (value) => value < 7)))
  for (const error of [atOnce, later]) assert.match(String(error), 'Counterexample: [7]')
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

test.run()
