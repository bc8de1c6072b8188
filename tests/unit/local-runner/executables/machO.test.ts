import { createHash } from 'node:crypto'
import { assert, suite } from '#support/runner/suite'
import { removeMachOSignature, signMachO } from '../../../../local-runner/executables/machO'

const test = suite('signature of a macOS program')

const TEXT_BYTES = 0x4000
const LINK_EDIT_BYTES = 100

/** An unsigned program: a segment with code, and the one with tables of the linker that ends the file. */
function program(freeBytes = 64): Uint8Array {
  const bytes = new Uint8Array(TEXT_BYTES + LINK_EDIT_BYTES)
  const view = new DataView(bytes.buffer)
  const segments = [
    ['__TEXT', 0, TEXT_BYTES],
    ['__LINKEDIT', TEXT_BYTES, LINK_EDIT_BYTES],
  ] as const
  view.setUint32(0, 0xfeedfacf, true)
  view.setUint32(16, segments.length, true)
  view.setUint32(20, segments.length * 72, true)
  for (const [index, [name, offset, size]] of segments.entries()) {
    const at = 32 + index * 72
    view.setUint32(at, 0x19, true)
    view.setUint32(at + 4, 72, true)
    bytes.set(Buffer.from(name), at + 8)
    view.setBigUint64(at + 40, BigInt(offset), true)
    view.setBigUint64(at + 48, BigInt(size), true)
  }
  return bytes.fill(0xcc, 32 + segments.length * 72 + freeBytes)
}

test('every page is covered by a hash, and the last segment by the file', () => {
  const signed = signMachO(program(), 'room')
  const view = new DataView(signed.buffer)
  assert.is(view.getUint32(16, true), 3)
  assert.is(view.getUint32(20, true), 2 * 72 + 16)
  const command = 32 + 2 * 72
  assert.is(view.getUint32(command, true), 0x1d)
  const at = view.getUint32(command + 8, true)
  assert.is(at % 16, 0)
  assert.is(at + view.getUint32(command + 12, true), signed.length)
  // __LINKEDIT.
  assert.is(Number(view.getBigUint64(32 + 72 + 48, true)), signed.length - TEXT_BYTES)
  assert.is(Number(view.getBigUint64(32 + 72 + 32, true)), 0x4000)

  assert.is(view.getUint32(at), 0xfade0cc0)
  assert.is(view.getUint32(at + 4), signed.length - at)
  const directory = at + view.getUint32(at + 16)
  assert.is(view.getUint32(directory), 0xfade0c02)
  assert.is(view.getUint32(directory + 12), 2)
  const name = directory + view.getUint32(directory + 20)
  assert.is(Buffer.from(signed.subarray(name, name + 5)).toString(), 'room\0')
  assert.is(view.getUint32(directory + 32), at)
  assert.equal([...signed.subarray(directory + 36, directory + 40)], [32, 2, 0, 12])
  assert.is(Number(view.getBigUint64(directory + 72)), TEXT_BYTES)
  assert.is(Number(view.getBigUint64(directory + 80)), 1)
  const hashes = directory + view.getUint32(directory + 16)
  const pages = view.getUint32(directory + 28)
  assert.is(pages, Math.ceil(at / 4096))
  for (let page = 0; page < pages; page++) {
    const code = signed.subarray(page * 4096, Math.min((page + 1) * 4096, at))
    const found = Buffer.from(signed.subarray(hashes + page * 32, hashes + page * 32 + 32))
    assert.is(found.toString('hex'), createHash('sha256').update(code).digest('hex'))
  }
  assert.is(hashes + pages * 32, signed.length)
})

test('without its signature a program is as it was', () => {
  const unsigned = removeMachOSignature(signMachO(program(), 'room'))
  const again = signMachO(unsigned, 'room')
  assert.equal(again, signMachO(program(), 'room'))
  assert.equal(unsigned.subarray(0, 32 + 72), program().subarray(0, 32 + 72))
  const plain = program()
  assert.is(removeMachOSignature(plain), plain)
})

test('other files, signed programs and such without room are refused', () => {
  assert.throws(() => signMachO(new Uint8Array(100), 'room'), 'no 64-bit Mach-O')
  assert.throws(() => signMachO(signMachO(program(), 'room'), 'room'), 'signed already')
  assert.throws(() => signMachO(program(8), 'room'), 'no room for another load command')
})

test.run()
