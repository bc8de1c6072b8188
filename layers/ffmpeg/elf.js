/** What the head of a Linux program says. @see https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html */

const MACHINES = new Map([
  [0x3e, 'x86_64'],
  [0xb7, 'arm64'],
])
const HEADER = 64
const PT_LOAD = 1
const PT_DYNAMIC = 2
const PT_INTERP = 3
const DT_NEEDED = 1
const DT_STRTAB = 5

/** What comes with the C library and the compiler's, on every Linux that has them. */
const OF_THE_SYSTEM = /^(lib(c|m|dl|rt|pthread|mvec|gcc_s)\.so\.\d|ld-linux-[\w-]+\.so\.\d)$/

/**
 * @param {Uint8Array} program
 * @returns {{ machine: string, needsOnlySystem: boolean } | undefined} undefined for anything but a 64-bit little-endian program
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
  const parts = Array.from({ length: count }, (_, index) => partAt(view, offset + index * size))
  // A program that needs libraries names the one that loads them.
  const isStatic = !parts.some(({ kind }) => kind === PT_INTERP)
  const libraries = isStatic ? [] : librariesOf(view, parts)
  return {
    machine: MACHINES.get(view.getUint16(18, true)) ?? 'another',
    needsOnlySystem:
      isStatic || (libraries.length > 0 && libraries.every((name) => OF_THE_SYSTEM.test(name))),
  }
}

function partAt(view, at) {
  const [offset, address, length] = [8, 16, 32].map((field) => Number(view.getBigUint64(at + field, true)))
  return { kind: view.getUint32(at, true), offset, address, length }
}

/** Names of the libraries that a program asks for; none when the table of them lies outside of the file. */
function librariesOf(view, parts) {
  const dynamic = parts.find(({ kind }) => kind === PT_DYNAMIC)
  if (dynamic === undefined || dynamic.offset + dynamic.length > view.byteLength) return []
  const needed = []
  let names = 0
  for (let at = dynamic.offset; at + 16 <= dynamic.offset + dynamic.length; at += 16) {
    const [tag, value] = [Number(view.getBigInt64(at, true)), Number(view.getBigUint64(at + 8, true))]
    if (tag === DT_NEEDED) needed.push(value)
    if (tag === DT_STRTAB) names = value
  }
  const loaded = parts.find(
    ({ kind, address, length }) => kind === PT_LOAD && names >= address && names < address + length,
  )
  if (loaded === undefined) return []
  return needed.map((name) => textAt(view, names - loaded.address + loaded.offset + name))
}

function textAt(view, start) {
  let text = ''
  for (let at = start; at < view.byteLength && view.getUint8(at) !== 0; at++) {
    text += String.fromCharCode(view.getUint8(at))
  }
  return text
}
