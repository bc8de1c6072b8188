import { assert, suite } from '#support/runner/suite'
import { makeExecutable, SEA_FUSE, withFuse } from '../../../../local-runner/executables/makeExecutable'

const test = suite('a program inside of Node')

test('the fuse is set where it is', () => {
  assert.is(Buffer.from(withFuse(Buffer.from(`a ${SEA_FUSE}:0 b`))).toString(), `a ${SEA_FUSE}:1 b`)
})

test('a binary without it, with two, or with one that is set is refused', () => {
  for (const text of ['', `${SEA_FUSE}:1`, `${SEA_FUSE}:0 ${SEA_FUSE}:0`])
    assert.throws(() => withFuse(Buffer.from(text)), 'not one of Node that can contain a program')
})

test('a binary of another system is refused', async () => {
  const details = { name: 'room', description: '', version: '0.1.0' }
  const inject = async (binary: Uint8Array) => binary
  for (const [target, message] of [
    ['linux-x64', 'no ELF program'],
    ['darwin-arm64', 'no 64-bit Mach-O program'],
  ] as const) {
    const made = makeExecutable(target, new Uint8Array(100), new Uint8Array(1), details, inject)
    assert.match(String(await made.catch((thrown: unknown) => thrown)), message)
  }
})

test.run()
