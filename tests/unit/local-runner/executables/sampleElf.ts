/** A program for Linux with two segments of which the last ends at `end`, followed by `rest` bytes. */
export function elf(end: number, rest: number): Uint8Array {
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
