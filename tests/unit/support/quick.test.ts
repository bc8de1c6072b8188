import { access } from 'node:fs/promises'
import { assert, suite } from '#support/runner/suite'
import { isQuick, quickTests, slowTests, waitingTests } from '../../quick'

const test = suite('which test files npm test runs')

test('every entry of the lists is a folder or a test file, and those that are left out would be in it', async () => {
  for (const entry of [...quickTests, ...slowTests, ...waitingTests]) {
    const places = [`tests/${entry}.test.ts`, `tests/${entry}`]
    const found = await Promise.allSettled(places.map((path) => access(path)))
    assert.ok(
      found.some(({ status }) => status === 'fulfilled'),
      `tests/quick.ts names ${entry}, which is not there`,
    )
  }
  for (const entry of slowTests) assert.is(isQuick(entry), false, entry)
})

test.run()
