import { type ByteSource, bytesSource, FormatError, joinSources, readFrom } from '@lantern-room/mp4/source'
import { Inflate } from 'fflate'
import { crc32, type ZipMember, zipOf } from '../zip/zip'
import { isZip } from '../zip/zipDirectory'
import { isPairFile } from './inspectLivePhoto'
import { DEFLATED, EARLIEST, readZip, STORED, type ZipEntry } from './readZip'

/** The limit for all unpacked photos and videos of a ZIP together: a Live Photo has a few megabytes. */
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024
/** Sixteen megabytes can come of them. */
const PIECE_BYTES = 16 * 1024

/**
 * A file to be read by range: itself, unless it is a ZIP with compressed photos or videos. Then it is a ZIP of these in memory,
 * without compression.
 * @throws FormatError `too-large`, `damaged` when one of them is damaged; what the source throws; the signal's
 *   reason
 * @example
 * const photo = await openUnpacked(blobSource(file), AbortSignal.timeout(5000))
 * const { galleries } = await readFrom(inspectFile(photo), photo)
 */
export async function openUnpacked(source: ByteSource, signal?: AbortSignal): Promise<ByteSource> {
  if (!isZip(await source.read(0, Math.min(4, source.size)))) return source
  const all = await readFrom(readZip(source), source, signal)
  const entries = all?.filter(isPairFile) ?? []
  if (!entries.some(({ method }) => method === DEFLATED)) return source
  // A stored file is as long as it is, whatever it declares, and several may lie at one place.
  const bytes = entries.reduce((sum, { size, unpackedSize }) => sum + Math.max(size, unpackedSize), 0)
  if (bytes > MAX_UNPACKED_BYTES) {
    throw new FormatError(
      'too-large',
      `The files in the ZIP are larger than ${MAX_UNPACKED_BYTES} bytes. Pack them without compression (zip -0).`,
    )
  }
  const members: ZipMember<Uint8Array>[] = []
  for (const entry of entries) {
    const bytes = await unpack(source, entry, signal)
    members.push({ name: entry.name, crc: entry.crc, size: bytes.length, pieces: [bytes] })
  }
  return joinSources(zipOf(members, EARLIEST).map(bytesSource))
}

async function unpack(source: ByteSource, entry: ZipEntry, signal?: AbortSignal): Promise<Uint8Array> {
  const { name, start, size, method, unpackedSize, crc } = entry
  if (method === STORED) return source.read(start, start + size)
  const bytes = method === DEFLATED ? await inflate(source, entry, signal) : undefined
  if (bytes?.length === unpackedSize && crc32(bytes) === crc) return bytes
  throw new FormatError(
    'damaged',
    `${name} in the ZIP is damaged, encrypted, or compressed in a way that is not read here. Pack it without compression (zip -0).`,
  )
}

/** @returns undefined when it is damaged, or has more bytes than it declares */
async function inflate(
  source: ByteSource,
  { start, size, unpackedSize }: ZipEntry,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  const bytes = new Uint8Array(unpackedSize)
  let length = 0
  const inflater = new Inflate((piece) => {
    // Throws where it is longer than declared.
    bytes.set(piece, length)
    length += piece.length
  })
  for (let at = start; at < start + size; at += PIECE_BYTES) {
    signal?.throwIfAborted()
    const end = Math.min(at + PIECE_BYTES, start + size)
    const packed = await source.read(at, end)
    try {
      inflater.push(packed, end === start + size)
    } catch {
      return undefined
    }
  }
  return bytes.subarray(0, length)
}
