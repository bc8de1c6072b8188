import { readFile } from 'node:fs/promises'
import { builtAt, version } from '#core/build'
import { assert, suite } from '#support/runner/suite'

const test = suite('build')

test('carries the version of package.json', async () => {
  assert.is(version, JSON.parse(await readFile('package.json', 'utf8')).version)
})

test('carries the time it was made', () => {
  assert.is(new Date(builtAt).toISOString(), builtAt)
})

test.run()
