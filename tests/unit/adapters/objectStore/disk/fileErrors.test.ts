import { ServiceError } from '@lantern-room/base'
import { isAbsence, onDisk, storageError } from '#internal/adapters/objectStore/disk/fileErrors'
import { assert, suite } from '#support/runner/suite'

const test = suite('what a client hears of a failing disk')
const failure = (code: string) => Object.assign(new Error(`${code}: open '/home/me/data'`), { code })

test('each is unavailable, with a sentence of its own, and the path only in the cause', () => {
  const sentences: Readonly<Record<string, RegExp>> = {
    ENOSPC: /no disk space left/,
    EDQUOT: /no disk space left/,
    EACCES: /not allowed to write/,
    EPERM: /not allowed to write/,
    EROFS: /not allowed to write/,
    EMFILE: /too many files open/,
    EIO: /does not work right now/,
    toString: /does not work right now/,
  }
  for (const [code, sentence] of Object.entries(sentences)) {
    const error = storageError(failure(code))
    assert.is(error.code, 'unavailable')
    assert.match(error.detail, sentence)
    assert.not.match(error.detail, /home|E[A-Z]{3}/)
    assert.match(String(error.cause), /\/home\/me/)
  }
})

test('its reason is read from the code, for programs that have words of their own', () => {
  const reasonOf = (code: string) => storageError(failure(code)).reason
  for (const code of ['ENOSPC', 'EDQUOT']) assert.is(reasonOf(code), 'storage-full', code)
  for (const code of ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EIO'])
    assert.is(reasonOf(code), 'storage-unusable', code)
  assert.is(reasonOf('EMFILE'), undefined)
})

test('an error of ours passes unchanged', async () => {
  const own = new ServiceError('out-of-range', 'No.')
  const caught = await onDisk(() => Promise.reject(own)).catch((error: unknown) => error)
  assert.is(caught, own)
})

test('absence is not a failure, and nothing else is absence', () => {
  for (const code of ['ENOENT', 'ENOTDIR', 'EISDIR']) assert.ok(isAbsence(failure(code)))
  for (const code of ['EACCES', 'EIO', 'ELOOP', 'ENAMETOOLONG']) assert.not(isAbsence(failure(code)))
  for (const other of [undefined, null, 'ENOENT', { code: 'ENOENT' }, new Error('ENOENT')])
    assert.not(isAbsence(other))
})

test.run()
