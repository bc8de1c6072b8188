import { type ErrorCode, ServiceError } from '@lantern-room/base'
import { uploadKeys } from '#internal/media/uploads/upload'
import { UploadError } from '#internal/media/uploads/uploadErrors'
import {
  isFinal,
  readStatus,
  statusAfter,
  type UploadStatus,
  writeStatus,
} from '#internal/media/uploads/uploadStatus'
import { assert, suite } from '#support/runner/suite'
import { createMemoryStore } from '#support/store/memoryStore'

const test = suite('the status of an upload')
const ID = 'a'.repeat(32)

const error = { code: 'timeout', detail: 'It took too long.' } as const
const all: readonly [UploadStatus, boolean][] = [
  [{ state: 'receiving', updated_at: 5, progress: { stage: 'receiving', received_bytes: 7 } }, false],
  [{ state: 'preparing', updated_at: 5 }, false],
  [{ state: 'done', updated_at: 5, session_id: 'f'.repeat(32) }, true],
  [{ state: 'done', updated_at: 5 }, true],
  [{ state: 'failed', updated_at: 5, error, may_retry: true }, false],
  [{ state: 'failed', updated_at: 5, error, may_retry: false }, true],
  [{ state: 'cancelled', updated_at: 5 }, true],
]
for (const [status, final] of all)
  test(`${JSON.stringify(status)} is read as it was written, and is ${final ? '' : 'not '}final`, async () => {
    const store = createMemoryStore()
    await writeStatus(store, ID, status)
    assert.equal(await readStatus(store, ID, 6000), status)
    assert.is(isFinal(status), final)
  })

test('what is no status is none', async () => {
  const store = createMemoryStore()
  const states = ['other', 'failed'].map((state) => JSON.stringify({ updated_at: 1, state }))
  const wrong = ['', '{}', '{"state":"done"}', ...states]
  const code = '{"updated_at":1,"state":"failed","error":{"code":"toString","detail":"x"}}'
  for (const text of [...wrong, code]) {
    await store.putBytes(uploadKeys(ID).status, new TextEncoder().encode(text), { contentType: 'text/plain' })
    assert.is(await readStatus(store, ID, 0), undefined, text)
  }
})

const outcomes: Readonly<Partial<Record<ErrorCode, string>>> = {
  'invalid-request': 'failed for good',
  'payload-too-large': 'failed for good',
  'out-of-range': 'failed',
  unavailable: 'failed',
  conflict: 'as before',
}
for (const [code, expected] of Object.entries(outcomes))
  test(`after ${code} an upload is ${expected}`, () => {
    const status = statusAfter(new ServiceError(code as ErrorCode, 'No.'), 5)
    const outcome = status === undefined ? 'as before' : isFinal(status) ? 'failed for good' : status.state
    assert.is(outcome, expected)
  })

test('a cancel and a mistake of ours are told apart, and no text of a mistake is kept', () => {
  assert.equal(statusAfter(new UploadError('cancelled'), 5), { state: 'cancelled', updated_at: 5 })
  const status = statusAfter(new TypeError('/var/secret'), 5)
  assert.not.match(JSON.stringify(status), /secret/)
})

test.run()
