/** Fields of a 64-bit ELF header and of its program headers. @see https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html */
const HEADER_BYTES = 64
const PROGRAM_HEADERS_AT = 32
const SECTION_HEADERS_AT = 40
const PROGRAM_HEADER_SIZE_AT = 54
const SECTION_COUNT_AT = 60
const SEGMENT_OFFSET_AT = 8
const SEGMENT_BYTES_AT = 32

/**
 * Leaves out what a 64-bit little-endian Linux program does not need in order to run: its symbol tables and the list of
 * its sections, which come after everything that is loaded.
 * @returns the shorter program; undefined for anything else
 */
export function stripElf(program: Uint8Array): Uint8Array | undefined {
  const view = new DataView(program.buffer, program.byteOffset, program.byteLength)
  // "\x7fELF", 64 bits, little endian, version 1.
  if (program.length < HEADER_BYTES || view.getUint32(0) !== 0x7f454c46) return undefined
  if (view.getUint32(4) >>> 8 !== 0x020101) return undefined
  const start = Number(view.getBigUint64(PROGRAM_HEADERS_AT, true))
  const size = view.getUint16(PROGRAM_HEADER_SIZE_AT, true)
  const count = view.getUint16(PROGRAM_HEADER_SIZE_AT + 2, true)
  if (start + size * count > program.length) return undefined
  const ends = Array.from({ length: count }, (_, index) => {
    const at = start + index * size
    return Number(
      view.getBigUint64(at + SEGMENT_OFFSET_AT, true) + view.getBigUint64(at + SEGMENT_BYTES_AT, true),
    )
  })
  const stripped = program.slice(0, Math.max(start + size * count, ...ends))
  const changed = new DataView(stripped.buffer)
  changed.setBigUint64(SECTION_HEADERS_AT, 0n, true)
  // The number of sections, and which of them has the names.
  changed.setUint32(SECTION_COUNT_AT, 0, true)
  return stripped
}
