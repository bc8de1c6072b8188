/** What the head of a Linux program says. @see https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html */

const MACHINES = new Map([
  [0x3e, 'x86_64'],
  [0xb7, 'arm64'],
])
const HEADER = 64
const PT_INTERP = 3

/**
 * @param {Uint8Array} program
 * @returns {{ machine: string, isStatic: boolean } | undefined} undefined for anything but a 64-bit little-endian program
 */
export function readElf(program) {
  if (program.length < HEADER) return undefined
  const view = new DataView(program.buffer, program.byteOffset, program.byteLength)
  // "\x7fELF", 64 bits, little endian, version 1.
  if (view.getUint32(0) !== 0x7f454c46 || view.getUint32(4) >>> 8 !== 0x020101) return undefined
  const isProgram = [2, 3].includes(view.getUint16(16, true))
  const [offset, size, count] = [
    Number(view.getBigUint64(32, true)),
    view.getUint16(54, true),
    view.getUint16(56, true),
  ]
  if (!isProgram || count === 0 || size < 56 || offset + size * count > program.length) return undefined
  const kinds = Array.from({ length: count }, (_, index) => view.getUint32(offset + index * size, true))
  // A program that needs libraries names the one that loads them.
  return {
    machine: MACHINES.get(view.getUint16(18, true)) ?? 'another',
    isStatic: !kinds.includes(PT_INTERP),
  }
}
