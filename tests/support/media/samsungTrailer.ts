/** What a Galaxy writes behind a photo without a clip: when it was taken, in milliseconds of UTC. */
export function samsungTimeTrailer(millisecond: number): Buffer {
  const block = Buffer.from(`\0\0\x01\x0a\x0e\0\0\0Image_UTC_Data${millisecond}`, 'latin1')
  const directory = Buffer.alloc(32)
  directory.write('SEFH')
  directory.writeUInt32LE(107, 4)
  directory.writeUInt32LE(1, 8)
  directory.writeUInt16LE(0x0a01, 14)
  directory.writeUInt32LE(block.length, 16)
  directory.writeUInt32LE(block.length, 20)
  directory.writeUInt32LE(24, 24)
  directory.write('SEFT', 28)
  return Buffer.concat([block, directory])
}
