import { ServiceError } from '@lantern-room/base'
import { ffmpegFailure, requireSuccess } from '#internal/media/ffmpeg/requireSuccess'
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

test('a full disk has its reason, and other failures have none', () => {
  for (const stderr of [FULL, 'av_interleaved_write_frame(): Disk quota exceeded'])
    assert.is(ffmpegFailure(outcome(0, stderr), explain).reason, 'storage-full')
  assert.is(ffmpegFailure(outcome(1, 'Invalid data found'), explain).reason, undefined)
  assert.is(ffmpegFailure(outcome(1, '    title : No space left on device'), explain).reason, undefined)
})

test.run()
