import { type ErrorCode, type FailureReason, ServiceError } from '@lantern-room/base'
import { assert, suite } from '#support/runner/suite'
import { about, failureOf, onThisMachine } from '../../../../local-runner/cli/failure'

const test = suite('failures on the command line')

const fail = (code: ErrorCode, detail = 'It is so.', reason?: FailureReason) =>
  Promise.reject(new ServiceError(code, detail, { reason }))

async function sentenceOf(work: Promise<unknown>): Promise<string> {
  return failureOf(await work.catch((error: unknown) => error)).sentence
}

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

test('what has no reason keeps its words', async () => {
  const open = () => fail('unavailable', 'The server has too many files open.')
  assert.is(await sentenceOf(onThisMachine(open)), 'The server has too many files open.')
})

test.run()
