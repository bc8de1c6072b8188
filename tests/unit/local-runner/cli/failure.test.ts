import * as assert from 'uvu/assert'
import { ConfigError } from '#core/environment'
import { type ErrorCode, ServiceError } from '#core/errors'
import { suite } from '#support/runner/suite'
import { about, failureOf, onThisMachine } from '../../../../local-runner/cli/failure'
import { UsageError } from '../../../../local-runner/cli/options'

const test = suite('failures on the command line')

const fail = (code: ErrorCode, detail = 'It is so.') => Promise.reject(new ServiceError(code, detail))

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

test('what the machine lacks is said in words for who sits before it', async () => {
  const space = 'No space is left in the temporary folder. Free some, or set TMPDIR to another one.'
  for (const detail of [
    'The service has no space left. Try again later.',
    'The server has no disk space left. Try again later.',
  ]) {
    assert.is(await sentenceOf(onThisMachine(() => fail('unavailable', detail))), space)
    assert.is(
      await sentenceOf(onThisMachine(() => about('/v.mp4', () => fail('unavailable', detail)))),
      space,
    )
  }
  assert.is(
    await sentenceOf(
      onThisMachine(() => fail('unavailable', 'The service is not allowed to write to its data folder.')),
    ),
    'The temporary folder cannot be written. Set TMPDIR to another one.',
  )
  assert.is(
    await sentenceOf(onThisMachine(() => about('/no space left.mp4', () => fail('invalid-request')))),
    '/no space left.mp4: It is so.',
  )
})

test('what is no failure of ours passes through', async () => {
  const reason = new Error('SIGINT')
  const rejected = () => Promise.reject(reason)
  for (const work of [about('/a', rejected), onThisMachine(rejected)])
    assert.is(await work.catch((error: unknown) => error), reason)
  assert.is(await about('/a', async () => 1), 1)
  assert.is(await onThisMachine(async () => 1), 1)
})

test.run()
