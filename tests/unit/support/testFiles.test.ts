import { access } from 'node:fs/promises'
import { assert, suite } from '#support/runner/suite'
import { isListed, isNamedBy } from '#support/runner/testFiles'
import { quickTests, slowTests } from '../../quick'

const test = suite('which test files run')

test('a file is named by any word of its path, in any case', () => {
  assert.is(isNamedBy(['SESSION'], 'unit/media/session'), true)
  assert.is(isNamedBy(['room/', 'media/s'], 'unit/media/session'), true)
  assert.is(isNamedBy(['sessions'], 'unit/media/session'), false)
  assert.is(isNamedBy([], 'unit/media/session'), false)
})

test('a list names files and whole folders, and the longer entry counts', () => {
  const isQuick = (name: string) =>
    isListed(name, ['unit', 'unit/a/b/c', 'flows/jobs'], ['unit/a/b', 'unit/d'])
  assert.is(isQuick('unit/x'), true)
  assert.is(isQuick('unit/a/b'), false)
  assert.is(isQuick('unit/a/b/x'), false)
  assert.is(isQuick('unit/a/b/c'), true)
  assert.is(isQuick('unit/a/bee'), true)
  assert.is(isQuick('unit/d'), false)
  assert.is(isQuick('flows/jobs'), true)
  assert.is(isQuick('flows/jobsToo'), false)
  assert.is(isQuick('units'), false)
})

test('every entry of the two lists is a folder or a test file', async () => {
  for (const entry of [...quickTests, ...slowTests]) {
    const ways = await Promise.allSettled(
      [`tests/${entry}.test.ts`, `tests/${entry}`].map((path) => access(path)),
    )
    assert.ok(
      ways.some(({ status }) => status === 'fulfilled'),
      `tests/quick.ts names ${entry}, which is not there`,
    )
  }
})

test('an entry of the slow tests lies in a folder of the quick ones', () => {
  for (const entry of slowTests) assert.ok(isListed(entry, quickTests, []), entry)
})
