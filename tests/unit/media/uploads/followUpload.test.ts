import { cancelUpload, followUpload } from '#core/media/uploads/followUpload'
import { type Upload, uploadKeys } from '#core/media/uploads/upload'
import { readStatus, writeStatus } from '#core/media/uploads/uploadStatus'
import { createUploads } from '#core/media/uploads/uploads'
import { codeOf } from '#support/media/prepared'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { createMemoryStore } from '#support/store/memoryStore'
import { silentLog } from '#support/values/testLog'

const test = suite('where an upload stands', { setUp })
const START = Date.UTC(2026, 0, 1)
const LOG = silentLog()
const BYTES = { contentType: 'application/octet-stream' }

async function setUp() {
  let nowMs = START
  const now = () => nowMs
  const store = createMemoryStore(now)
  const uploads = createUploads({ store, now, clock: createFakeClock(), log: LOG })
  const upload = await uploads.create({ size: 5, contentType: 'video/mp4' })
  const keys = uploadKeys(upload.id)
  const dependencies = { uploads, store, now }
  return {
    store,
    upload,
    keys,
    pass: (ms: number) => {
      nowMs += ms
    },
    put: (key: string) => store.putBytes(key, new Uint8Array(5), BYTES),
    write: (state: 'receiving' | 'preparing') =>
      writeStatus(store, upload.id, { state, updatedAt: nowMs / 1000, progress: undefined }),
    status: () => readStatus(store, upload.id, nowMs),
    follow: (id = upload.id) => followUpload(dependencies, id),
    cancel: (id = upload.id) => cancelUpload(dependencies, id),
  }
}

const stateOf = async ({ follow }: { follow(): Promise<{ state: string; upload: Upload | undefined }> }) => {
  const { state, upload } = await follow()
  return [state, upload !== undefined]
}

test('it is allowed, received, and then prepared; a mark of the work counts more than the file', async () => {
  const setting = await setUp()
  assert.equal(await stateOf(setting), ['allowed', true])
  await setting.write('receiving')
  assert.equal(await stateOf(setting), ['receiving', true])
  await setting.put(setting.keys.file)
  assert.equal(await stateOf(setting), ['received', true])
  await setting.put(setting.keys.claim)
  assert.equal(await stateOf(setting), ['preparing', true])
})

test('an unknown upload is not found, neither to follow nor to cancel', async ({ follow, cancel }) => {
  const unknown = 'f'.repeat(32)
  assert.is(await codeOf(follow(unknown)), 'not-found')
  assert.is(await codeOf(cancel(unknown)), 'not-found')
})

test('one that nothing works on is cancelled at once, and stays so', async (setting) => {
  await setting.put(setting.keys.file)
  await setting.cancel()
  assert.equal(await stateOf(setting), ['cancelled', false])
  assert.is(await setting.store.head(setting.keys.file), undefined)
  assert.is(await codeOf(setting.cancel()), 'conflict')
})

for (const [what, ageMs, isMarked] of [
  ['at work', 0, true],
  ['that has stopped without a word', 3_000_000, false],
] as const)
  test(`a request ${what} is ${isMarked ? 'asked to end' : 'not waited for'}`, async () => {
    const setting = await setUp()
    await setting.write('preparing')
    setting.pass(ageMs)
    await setting.cancel()
    assert.is((await setting.store.head(setting.keys.cancel)) !== undefined, isMarked)
    assert.is((await setting.status())?.state === 'cancelled', !isMarked)
  })

test.run()
