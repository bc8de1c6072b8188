import { concatBytes, fromHex, hasBytesAt, latin1, viewOf } from '@lantern-room/base/bytes'
import { Unzlib } from 'fflate'
import { EXIF_MARK } from '../exif/exif'
import { decodeXmp } from '../xmp/readXmp'

/** What a finished PNG or WebP says of itself. */
export type PictureTags = {
  /** A TIFF structure. */
  readonly exif: Uint8Array | undefined
  readonly xmp: string | undefined
  /** Whether there are words in a form that only such files have. */
  readonly hasText: boolean
}

const FIRST_CHUNK = 8
/** Length, type, and the check sum behind the data. */
const CHUNK_BYTES = 12
/** Files of programs have a few dozen, and as many more with pixels. */
const MAX_CHUNKS = 100_000
/** Of those that may hold EXIF or XMP. */
const MAX_TEXTS = 8
/** Of a text that is unpacked. */
const MAX_UNPACKED_BYTES = 1024 * 1024
/** Four megabytes can come of them. */
const PIECE_BYTES = 4096

/**
 * Reads the tags of a PNG: EXIF of `eXIf`, XMP of `iTXt`, or both as ImageMagick writes them into texts.
 * @param png as long as it is whole: what is behind damage is not read
 * @see PNG (Third Edition), 11.3.3; XMP Specification, part 3, 1.1.5; ExifTool, "PNG TextualData Tags"
 * @example
 * const { exif, hasText } = readPngTags(png)
 */
export function readPngTags(png: Uint8Array): PictureTags {
  const found: { exif?: Uint8Array | undefined; xmp?: Uint8Array | undefined } = {}
  let hasText = false
  let texts = 0
  for (const { type, data } of chunksOf(png)) {
    if (type === 'eXIf') found.exif ??= withoutMark(data)
    if (!isText(type)) continue
    const kind = KINDS.get(latin1(data, 0, keywordEnd(data)))
    const isWanted = kind && !found[kind] && texts < MAX_TEXTS
    if (isWanted) texts += 1
    const said = isWanted ? contentOf(textOf(type, data)) : undefined
    if (kind && said) found[kind] = withoutMark(said)
    else hasText = true
  }
  const { exif, xmp } = found
  return { exif, xmp: xmp && decodeXmp(xmp), hasText }
}

/** What texts say by their keywords. `APP1` is EXIF with its mark. */
const KINDS: ReadonlyMap<string, 'exif' | 'xmp'> = new Map([
  ['XML:com.adobe.xmp', 'xmp'],
  ['Raw profile type xmp', 'xmp'],
  ['Raw profile type exif', 'exif'],
  ['Raw profile type APP1', 'exif'],
])

type Chunk = { readonly type: string; readonly data: Uint8Array }

function chunksOf(png: Uint8Array): Chunk[] {
  const view = viewOf(png)
  const chunks: Chunk[] = []
  for (let at = FIRST_CHUNK; at + CHUNK_BYTES <= png.length && chunks.length < MAX_CHUNKS; ) {
    const end = at + 8 + view.getUint32(at)
    if (end + 4 > png.length) break
    chunks.push({ type: latin1(png, at + 4, at + 8), data: png.subarray(at + 8, end) })
    at = end + 4
  }
  return chunks
}

function keywordEnd(data: Uint8Array): number {
  const end = data.indexOf(0)
  return end < 0 ? data.length : end
}

const TEXTS = ['iTXt', 'zTXt', 'tEXt'] as const

function isText(type: string): type is (typeof TEXTS)[number] {
  return TEXTS.some((one) => one === type)
}

function textOf(type: (typeof TEXTS)[number], data: Uint8Array): Uint8Array | undefined {
  const end = keywordEnd(data)
  if (type === 'tEXt') return data.subarray(end + 1)
  if (type === 'zTXt') return unpacked(data.subarray(end + 2))
  // Whether and how it is packed, its language, and its keyword in that.
  const language = data.indexOf(0, end + 3)
  const translated = language < 0 ? -1 : data.indexOf(0, language + 1)
  if (translated < 0) return undefined
  const text = data.subarray(translated + 1)
  return data[end + 1] === 1 ? unpacked(text) : text
}

/** @returns undefined when it is damaged or too large */
function unpacked(packed: Uint8Array): Uint8Array | undefined {
  const pieces: Uint8Array[] = []
  let [bytes, isWhole] = [0, false]
  const unpacking = new Unzlib((piece, isLast) => {
    pieces.push(piece)
    bytes += piece.length
    isWhole = isLast
  })
  try {
    for (let at = 0; at < packed.length && bytes <= MAX_UNPACKED_BYTES; at += PIECE_BYTES) {
      unpacking.push(packed.subarray(at, at + PIECE_BYTES), at + PIECE_BYTES >= packed.length)
    }
  } catch {
    return undefined
  }
  return isWhole && bytes <= MAX_UNPACKED_BYTES ? concatBytes(pieces) : undefined
}

/** A raw profile is bytes as hexadecimal lines, behind a line with their kind and one with their number. */
function contentOf(text: Uint8Array | undefined): Uint8Array | undefined {
  const [, digits] = /^\n\w+\s+\d+\n([\da-f\s]+)$/i.exec(text ? latin1(text) : '') ?? []
  return digits === undefined ? text : fromHex(digits.replace(/\s+/g, ''))
}

/** EXIF without the mark that segments of a JPEG have, which some programs write here, too. */
export function withoutMark(exif: Uint8Array): Uint8Array {
  return hasBytesAt(exif, 0, EXIF_MARK) ? exif.subarray(EXIF_MARK.length) : exif
}
