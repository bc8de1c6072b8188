import { assert, suite } from '#support/runner/suite'
import { SEA_FUSE, withFuse } from '../../../../local-runner/executables/makeExecutable'

const test = suite('a program inside of Node')

test('the fuse is set where it is', () => {
  assert.is(Buffer.from(withFuse(Buffer.from(`a ${SEA_FUSE}:0 b`))).toString(), `a ${SEA_FUSE}:1 b`)
})

test('a binary without it, with two, or with one that is set is refused', () => {
  for (const text of ['', `${SEA_FUSE}:1`, `${SEA_FUSE}:0 ${SEA_FUSE}:0`])
    assert.throws(() => withFuse(Buffer.from(text)), 'not one of Node that can contain a program')
})

test.run()
