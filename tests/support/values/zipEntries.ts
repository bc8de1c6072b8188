export type ZipEntry = {
  readonly name: string
  /** Bytes, unpacked. */
  readonly size: number
  /** Permissions, as `0o755`. */
  readonly mode: number
}

/** What a ZIP file of fewer than 65,535 files holds, from its central directory. */
export function zipEntries(zip: Buffer): readonly ZipEntry[] {
  const entries: ZipEntry[] = []
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  for (let at = zip.readUInt32LE(end + 16), left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const [nameLength = 0, extraLength = 0, commentLength = 0] = [28, 30, 32].map((offset) =>
      zip.readUInt16LE(at + offset),
    )
    entries.push({
      name: zip.toString('utf8', at + 46, at + 46 + nameLength),
      size: zip.readUInt32LE(at + 24),
      mode: (zip.readUInt32LE(at + 38) >>> 16) & 0o777,
    })
    at += 46 + nameLength + extraLength + commentLength
  }
  return entries
}
