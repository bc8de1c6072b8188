/** A part of a zstd frame: bytes as they are, or one byte many times. */
export type ZstdPart = Uint8Array | { readonly byte: number; readonly count: number }

/** A frame of raw and repeated blocks (RFC 8878): small bytes that become large ones. */
export function zstdFrame(parts: readonly ZstdPart[]): Uint8Array {
  const size = parts.reduce((sum, part) => sum + (part instanceof Uint8Array ? part.length : part.count), 0)
  const header = new Uint8Array(9)
  const view = new DataView(header.buffer)
  view.setUint32(0, 0xfd2fb528, true)
  // Single segment, content size in four bytes.
  header[4] = 0b1010_0000
  view.setUint32(5, size, true)
  const blocks = parts.map((part, at) => {
    const isLast = at === parts.length - 1 ? 1 : 0
    const isRaw = part instanceof Uint8Array
    const length = isRaw ? part.length : part.count
    const word = isLast | ((isRaw ? 0 : 1) << 1) | (length << 3)
    return [word & 255, (word >> 8) & 255, word >> 16, ...(isRaw ? part : [part.byte])]
  })
  return Uint8Array.from([...header, ...blocks.flat()])
}
