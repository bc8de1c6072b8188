import { bytesSource } from '#core/formats/source/byteSource'
import { openPhoto } from '#core/media/photos/openPhoto'
import { uploadKeys } from '#core/media/uploads/upload'
import { CLIENT, codeOf, fakeWorkFolders, postOf } from '#support/media/prepared'
import { assert, suite } from '#support/runner/suite'
import { createMemoryStore } from '#support/store/memoryStore'

const test = suite('opening a photo')
const { signal } = new AbortController()
const bytes = Uint8Array.of(1, 2, 3)
const ID = 'an-upload'

/** @param stored the size of what is stored for the upload that announced three bytes */
async function setUp(fields: Record<string, string>, { hasFile = false, stored = 3 } = {}) {
  const store = createMemoryStore()
  if (stored > 0)
    await store.putBytes(uploadKeys(ID).file, bytes.subarray(0, stored), { contentType: 'image/jpeg' })
  const { workFolders, stillOpen } = fakeWorkFolders()
  const checked: number[] = []
  const open = (request: Request) =>
    openPhoto(
      {
        store,
        uploads: {
          find: async (id) => ({ id, size: 3, contentType: 'image/jpeg', createdAt: 0, expiresAt: 3600 }),
        },
        workFolders,
        receiveForm: async (_, { maxFileBytes }) => {
          checked.push(maxFileBytes)
          const file = hasFile ? { path: '/work/file', size: 3 } : undefined
          return { fields: new Map(Object.entries(fields)), file }
        },
        openFile: async () => bytesSource(bytes),
        quota: { check: async (size) => void checked.push(size) },
        limits: { maxUploadBytes: 100, uploadIdleSeconds: 1 },
      },
      { request, texts: [] },
      { client: CLIENT, signal },
    )
  return { open, stillOpen, checked, store }
}

const form = () => postOf('', undefined, 9)
const json = () => postOf(JSON.stringify({ upload_id: ID }), 'application/json', 9)

test('a file of a form is there until the photo is closed; space is asked for before', async () => {
  const { open, stillOpen, checked } = await setUp({ what: 'clip' }, { hasFile: true })
  const photo = await open(form())
  assert.equal(await photo.source.read(0, 3), bytes)
  assert.equal([photo.fields.get('what'), checked, stillOpen()], ['clip', [9, 100], 1])
  await photo.close()
  assert.is(stillOpen(), 0)
})

test('an upload is read where it is, and stays', async () => {
  for (const [fields, request] of [
    [{ upload_id: ID }, form()],
    [{}, json()],
  ] as const) {
    const { open, store } = await setUp(fields)
    const photo = await open(request)
    assert.equal(await photo.source.read(1, 3), Uint8Array.of(2, 3))
    await photo.close()
    assert.ok(store.keys().includes(uploadKeys(ID).file))
  }
})

test('no folder is left of a photo that is refused', async () => {
  const cases = [
    ['invalid-request', { upload_id: ID }, { hasFile: true }, form()],
    ['unprocessable', {}, {}, form()],
    ['conflict', {}, { stored: 0 }, json()],
    ['invalid-request', {}, { stored: 2 }, json()],
  ] as const
  for (const [code, fields, options, request] of cases) {
    const { open, stillOpen } = await setUp(fields, options)
    assert.equal([await codeOf(open(request)), stillOpen()], [code, 0])
  }
})

test.run()
