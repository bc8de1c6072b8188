import { storageError } from '#core/adapters/objectStore/disk/fileErrors'
import { ConfigError } from '#core/environment'
import { type ErrorCode, type FailureReason, ServiceError } from '#core/errors'
import { outOfSpace } from '#core/media/ffmpeg/requireSuccess'
import { assert, suite } from '#support/runner/suite'
import { about, failureOf, onThisMachine } from '../../../../local-runner/cli/failure'
import { UsageError } from '../../../../local-runner/commandLine/readArguments'

const test = suite('failures on the command line')

const fail = (code: ErrorCode, detail = 'It is so.', reason?: FailureReason) =>
  Promise.reject(new ServiceError(code, detail, { reason }))

async function sentenceOf(work: Promise<unknown>): Promise<string> {
  return failureOf(await work.catch((error: unknown) => error)).sentence
}

test('each kind has its exit code', () => {
  const codeOf = (code: ErrorCode) => failureOf(new ServiceError(code, 'x')).exitCode
  for (const code of ['invalid-request', 'unsupported-media', 'payload-too-large', 'not-found'] as const)
    assert.is(codeOf(code), 1, code)
  for (const code of ['conflict', 'timeout', 'internal', 'out-of-range', 'unprocessable'] as const)
    assert.is(codeOf(code), 1, code)
  for (const code of ['unavailable', 'too-busy'] as const) assert.is(codeOf(code), 3, code)
  assert.is(failureOf(new UsageError('x')).exitCode, 2)
  assert.is(failureOf(new ConfigError(['x'])).exitCode, 3)
  assert.is(failureOf(new TypeError('x')).exitCode, 1)
})

test('all is said in one line', () => {
  const several = new ConfigError(['A=1: allowed is 2.', 'B=3: allowed is 4.'])
  assert.is(failureOf(several).sentence, 'A setting is wrong: A=1: allowed is 2. B=3: allowed is 4.')
  assert.not.match(failureOf(new TypeError('one\ntwo\x1b[2J')).sentence, /[\x00-\x1f]/)
})

test('a wrong command is sent to the manual', () => {
  assert.is(failureOf(new UsageError('Name the video.')).sentence, 'Name the video. See motion-photo --help.')
})

test('what is there already can be overwritten', async () => {
  const sentence = await sentenceOf(about('/a/b.jpg', () => fail('conflict', 'It exists already.')))
  assert.is(
    sentence,
    '/a/b.jpg: It exists already. Overwrite it with --force, or name another with --output.',
  )
})

test('a refused file is named, in characters that a terminal only shows', async () => {
  const name = '/a/\x1b]0;x\x07\n\u202egpj.mp4'
  assert.is(await sentenceOf(about(name, () => fail('invalid-request'))), '/a/?]0;x???gpj.mp4: It is so.')
})

const SPACE = 'No space is left in the temporary folder. Free some, or set TMPDIR to another one.'
const FOLDER = 'The temporary folder cannot be written. Set TMPDIR to another one.'

test('what the storage of a service lacks is worded for the user of this machine', async () => {
  for (const detail of ['The service has no space left. Try again later.', 'Anything.']) {
    const full = () => fail('unavailable', detail, 'storage-full')
    assert.is(await sentenceOf(onThisMachine(full)), SPACE)
    assert.is(await sentenceOf(onThisMachine(() => about('/v.mp4', full))), SPACE)
  }
  const unusable = () => fail('unavailable', 'Anything.', 'storage-unusable')
  assert.is(await sentenceOf(onThisMachine(unusable)), FOLDER)
})

test('what the errors of the disk and of ffmpeg mean is read from their codes, not from their words', async () => {
  const onDisk = (code: string) => sentenceOf(onThisMachine(() => Promise.reject(diskError(code))))
  for (const code of ['ENOSPC', 'EDQUOT']) assert.is(await onDisk(code), SPACE, code)
  for (const code of ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR']) assert.is(await onDisk(code), FOLDER, code)
  assert.match(await onDisk('EMFILE'), /^The server has too many files open\./)
  assert.is(await sentenceOf(onThisMachine(() => Promise.reject(outOfSpace(undefined)))), SPACE)
})

test('other failures keep their words, whatever these are', async () => {
  const other = () => about('/no space left.mp4', () => fail('invalid-request'))
  assert.is(await sentenceOf(onThisMachine(other)), '/no space left.mp4: It is so.')
  const storage = 'The storage of the data folder has no space left.'
  assert.is(await sentenceOf(onThisMachine(() => fail('unavailable', storage))), storage)
})

test('what is no failure of ours passes through', async () => {
  const reason = new Error('SIGINT')
  const rejected = () => Promise.reject(reason)
  for (const work of [about('/a', rejected), onThisMachine(rejected)])
    assert.is(await work.catch((error: unknown) => error), reason)
  assert.is(await about('/a', async () => 1), 1)
  assert.is(await onThisMachine(async () => 1), 1)
})

function diskError(code: string): ServiceError {
  return storageError(Object.assign(new Error('it failed'), { code }))
}

test.run()
