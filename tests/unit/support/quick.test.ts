import { access } from 'node:fs/promises'
import { assert, suite } from '#support/runner/suite'
import { isQuick, laneOf, quickTests, slowTests, waitingTests } from '../../quick'

const test = suite('which test files npm test runs')

test('a list names files and whole folders, and the longer entry counts', () => {
  assert.is(isQuick('unit/media/sessions/session'), true)
  assert.is(isQuick('contract/http/app'), true)
  assert.is(isQuick('contract/http/offline'), false)
  assert.is(isQuick('scenarios/hostile/lies'), false)
  assert.is(isQuick('flows/mainJobsToo'), false)
})

test('a file that waits runs beside the others, unless it needs the LAN or the machine for itself', () => {
  assert.is(laneOf('flows/room/natTable'), 'waiting')
  assert.is(laneOf('flows/room/roomPage.lan'), 'lan')
  assert.is(laneOf('flows/bigUpload.alone'), 'alone')
  assert.is(laneOf('flows/studio'), 'computing')
})

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
