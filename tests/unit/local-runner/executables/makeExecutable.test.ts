import { assert, suite } from '#support/runner/suite'
import { SEA_FUSE, stripElf, withFuse } from '../../../../local-runner/executables/makeExecutable'

const test = suite('a program inside of Node')

test('the fuse is set where it is', () => {
  assert.is(Buffer.from(withFuse(Buffer.from(`a ${SEA_FUSE}:0 b`))).toString(), `a ${SEA_FUSE}:1 b`)
})

test('a binary without it, with two, or with one that is set is refused', () => {
  for (const text of ['', `${SEA_FUSE}:1`, `${SEA_FUSE}:0 ${SEA_FUSE}:0`])
    assert.throws(() => withFuse(Buffer.from(text)), 'not one of Node that can contain a program')
})

test('what comes after the last segment goes, with the list of the sections', () => {
  const program = elf(1000, 500)
  const stripped = stripElf(program)
  assert.ok(stripped)
  assert.is(stripped.length, 1000)
  const view = new DataView(stripped.buffer)
  assert.is(view.getBigUint64(40, true), 0n)
  assert.is(view.getUint32(60, true), 0)
  assert.equal(stripped.subarray(64), program.subarray(64, 1000))
  assert.is(program.length, 1500)
})

test('what is no such program is refused', () => {
  assert.is(stripElf(new Uint8Array(10)), undefined)
  assert.is(stripElf(new Uint8Array(1000)), undefined)
  const cut = elf(1000, 0).subarray(0, 100)
  assert.is(stripElf(cut), undefined)
})

/** A program for Linux with two segments of which the last ends at `end`, followed by `rest` bytes. */
function elf(end: number, rest: number): Uint8Array {
  const program = new Uint8Array(end + rest).fill(0xee, 64 + 2 * 56)
  const view = new DataView(program.buffer)
  view.setUint32(0, 0x7f454c46)
  view.setUint32(4, 0x02010100)
  view.setBigUint64(32, 64n, true)
  view.setBigUint64(40, BigInt(end), true)
  view.setUint16(54, 56, true)
  view.setUint16(56, 2, true)
  view.setUint16(60, 29, true)
  view.setUint16(62, 28, true)
  for (const [index, [offset, bytes]] of [
    [0, end - 100],
    [end - 100, 100],
  ].entries()) {
    view.setBigUint64(64 + index * 56 + 8, BigInt(offset ?? 0), true)
    view.setBigUint64(64 + index * 56 + 32, BigInt(bytes ?? 0), true)
  }
  return program
}

test.run()
