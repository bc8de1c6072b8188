import { assert, suite } from '#support/runner/suite'
import { stripElf } from '../../../../local-runner/executables/stripElf'
import { elf } from './sampleElf'

const test = suite('symbols of a Linux program')

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

test.run()
