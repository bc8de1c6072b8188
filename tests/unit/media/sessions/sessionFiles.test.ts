import { createLazyFile } from '#core/media/sessions/sessionFiles'
import { assert, suite } from '../../../support/runner/suite'

const test = suite('a file that is checked out when needed')

function setUp(checkOut?: () => Promise<never>) {
  const counts = { checkedOut: 0, released: 0 }
  const file = createLazyFile(async () => {
    counts.checkedOut += 1
    await checkOut?.()
    return {
      path: '/file',
      release: async () => {
        counts.released += 1
      },
    }
  })
  return { file, counts }
}

test('it is checked out once, however often its path is asked for', async () => {
  const { file, counts } = setUp()
  assert.equal(await Promise.all([file.path(), file.path()]), ['/file', '/file'])
  await file.release()
  assert.equal(counts, { checkedOut: 1, released: 1 })
})

test('unasked, it never is', async () => {
  const { file, counts } = setUp()
  await file.release()
  assert.equal(counts, { checkedOut: 0, released: 0 })
})

test('what could not be checked out needs no release', async () => {
  const { file, counts } = setUp(() => Promise.reject(new Error('gone')))
  assert.is(await file.path().catch(({ message }) => message), 'gone')
  await file.release()
  assert.equal(counts, { checkedOut: 1, released: 0 })
})

test.run()
