import { crc32 } from 'node:zlib'
import { deflate } from './compress'

/** A file in an archive. */
export type ArchivedFile = {
  /** With slashes; ASCII. */
  readonly path: string
  readonly bytes: Uint8Array
  readonly isExecutable: boolean
}

const TAR_BLOCK = 512
const ZIP_VERSION = 20
const ZIP_MADE_BY_UNIX = (3 << 8) | ZIP_VERSION
const ZIP_DEFLATED = 8

/**
 * A tar archive in which everything belongs to root and has the same time, so that equal files give equal bytes.
 * @see https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html, "ustar Interchange Format"
 */
export function tar(files: readonly ArchivedFile[], date: Date): Uint8Array {
  const parts = files.flatMap((file) => [
    tarHeader(file, date),
    file.bytes,
    new Uint8Array(-file.bytes.length & (TAR_BLOCK - 1)),
  ])
  return Buffer.concat([...parts, new Uint8Array(2 * TAR_BLOCK)])
}

function tarHeader({ path, bytes, isExecutable }: ArchivedFile, date: Date): Uint8Array {
  if (Buffer.byteLength(path) > 100) throw new Error(`the name is too long for the archive: ${path}`)
  const header = Buffer.alloc(TAR_BLOCK)
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  header.write(path, 0)
  header.write(octal(isExecutable ? 0o755 : 0o644, 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  header.write(octal(bytes.length, 11), 124)
  header.write(octal(Math.floor(date.getTime() / 1000), 11), 136)
  header.write('        0', 148)
  header.write('ustar\x0000', 257)
  header.write('root', 265)
  header.write('root', 297)
  // The sum of all bytes, counted with blanks in its own place.
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)}\0 `, 148)
  return header
}

/**
 * A zip archive, compressed as far as deflate goes, with one time for all files.
 * @see https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, 4.3
 */
export async function zip(files: readonly ArchivedFile[], date: Date): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  const directory: Uint8Array[] = []
  let offset = 0
  for (const file of files) {
    const packed = await deflate(file.bytes)
    const common = zipFields(file, packed.length, date)
    const name = Buffer.from(file.path, 'ascii')
    const local = Buffer.concat([uint32(0x04034b50), common, name])
    directory.push(
      Buffer.concat([
        uint32(0x02014b50),
        uint16(ZIP_MADE_BY_UNIX),
        common,
        // No comment, the first disk, no hints; then the rights as Unix has them.
        uint16(0),
        uint16(0),
        uint16(0),
        uint32(((file.isExecutable ? 0o100755 : 0o100644) << 16) >>> 0),
        uint32(offset),
        name,
      ]),
    )
    parts.push(local, packed)
    offset += local.length + packed.length
  }
  const listBytes = directory.reduce((sum, { length }) => sum + length, 0)
  const counts = [uint16(0), uint16(0), uint16(files.length), uint16(files.length)]
  const end = [uint32(0x06054b50), ...counts, uint32(listBytes), uint32(offset), uint16(0)]
  return Buffer.concat([...parts, ...directory, ...end])
}

/** What the header before a file and the list at the end have in common, from the version to the lengths of texts. */
function zipFields({ path, bytes }: ArchivedFile, packedBytes: number, date: Date): Uint8Array {
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1)
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate()
  return Buffer.concat([
    uint16(ZIP_VERSION),
    uint16(0),
    uint16(ZIP_DEFLATED),
    uint16(time),
    uint16(day),
    uint32(crc32(bytes)),
    uint32(packedBytes),
    uint32(bytes.length),
    uint16(Buffer.byteLength(path)),
    uint16(0),
  ])
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
