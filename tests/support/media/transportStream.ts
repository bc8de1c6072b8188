const PACKET = 188

/**
 * A transport stream with other bytes in the names of its programmes (ISO/IEC 13818-1, ETSI EN 300 468).
 * @param from what stands there, each time in a packet that holds a whole table
 * @param to as many bytes
 */
export function renamed(stream: Uint8Array, from: string, to: Uint8Array): Uint8Array {
  const result = Buffer.from(stream)
  let count = 0
  for (let at = result.indexOf(from); at >= 0; at = result.indexOf(from, at + from.length)) {
    result.set(to, at)
    // Four bytes of the packet, then how many to skip; of the table the kind, and its length behind four flags.
    const table = at - (at % PACKET) + 5
    const end = table + 3 + (result.readUInt16BE(table + 1) & 0xfff)
    result.writeUInt32BE(checksum(result.subarray(table, end - 4)), end - 4)
    count += 1
  }
  if (count === 0 || to.length !== from.length) throw new Error('nothing was renamed')
  return result
}

/** CRC-32/MPEG-2. */
function checksum(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte << 24
    for (let bit = 0; bit < 8; bit += 1)
      crc = crc < 0 || crc > 0x7fffffff ? (crc << 1) ^ 0x04c11db7 : crc << 1
  }
  return crc >>> 0
}
