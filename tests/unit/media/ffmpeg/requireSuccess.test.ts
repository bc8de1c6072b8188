import { ServiceError } from '#core/errors'
import { ffmpegMessages, isOutOfSpace, requireSuccess } from '#core/media/ffmpeg/requireSuccess'
import { assert, suite } from '#support/runner/suite'

const test = suite('the outcome of ffmpeg')
const outcome = (exitCode: number | null, stderr = '') => ({ exitCode, stderr, stdout: new Uint8Array() })
const FULL = 'Error writing trailer of file:x: No space left on device'
const explain = () => new ServiceError('internal', 'explained')

test('success is no error', () => requireSuccess(outcome(0, 'frame= 90'), explain))

for (const [name, failed] of [
  ['an exit code', outcome(1)],
  ['a signal', outcome(null)],
  ['a full disk, in spite of exit code 0', outcome(0, FULL)],
] as const)
  test(`${name} is what the caller makes of it`, () => {
    assert.throws(() => requireSuccess(failed, explain), 'explained')
  })

test('a full disk is reported by ffmpeg, not by a title', () => {
  assert.ok(isOutOfSpace({ stderr: FULL }))
  assert.ok(isOutOfSpace({ stderr: 'Disk quota exceeded' }))
  assert.not.ok(isOutOfSpace({ stderr: '    title           : No space left on device' }))
})

test("what is indented are the file's own texts", () => {
  assert.is(ffmpegMessages('Input #0\n  Metadata:\n    title : x\nError'), 'Input #0\n\n\nError')
})

test.run()
