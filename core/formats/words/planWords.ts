import { asciiBytes, concatBytes, hasBytesAt, viewOf } from '@lantern-room/base/bytes'
import {
  type FileParts,
  piecesOfParts,
  type Reading,
  readNow,
  type Sized,
  sizeOfParts,
  take,
} from '@lantern-room/mp4/source'
import { readMpf } from '../exif/mpf'
import { addXmpItem } from '../heic/addXmpItem'
import { readHeic } from '../heic/heic'
import { replaceItems } from '../heic/replaceItems'
import { readJpeg } from '../jpeg/jpeg'
import { changeHeader, headerOf, readImageHeader } from '../motionPhoto/imageHeader'
import { readSamsungTrailer } from '../motionPhoto/samsung'
import { readPngTags } from '../png/pngTags'
import { crc32 } from '../zip/zip'
import { addToExif } from './addToExif'
import { addWords } from './addWords'
import { type OwnWords, readOwnWords } from './ownWords'
import type { PhotoMetadata, PhotoWords, WordKind } from './photoWords'

/** A photo with words added to it. */
export type PlannedWords = { readonly parts: FileParts; readonly added: readonly WordKind[] }

/**
 * What a JPEG, HEIC or PNG says of itself.
 * @returns undefined of another file
 * @example
 * const own = await readFrom(readWords(source), source)
 */
export function* readWords(file: Sized): Reading<OwnWords | undefined> {
  const metadata = yield* readMetadata(file)
  return metadata && readOwnWords(metadata)
}

function* readMetadata(file: Sized): Reading<PhotoMetadata | undefined> {
  const jpeg = yield* readJpeg(file, true)
  if (jpeg) return (yield* readImageHeader(file, jpeg.segments)).metadata
  const heic = yield* readHeic(file)
  if (heic) return heic
  const head = yield* pngHead(file)
  return head && readPngTags(head.bytes)
}

/**
 * Plans a JPEG, HEIC or PNG with words that it does not say itself, in EXIF and XMP. Its pixels, its clip and all else that it says stay.
 * @returns undefined when nothing is to be added, or it cannot be: the file has another format, is damaged or has no room
 * @example
 * const { parts, added } = (await readFrom(planWords(source, words), source)) ?? { parts: [{ start: 0, end: source.size }], added: [] }
 */
export function* planWords(file: Sized, words: PhotoWords): Reading<PlannedWords | undefined> {
  const head = yield* take(file, 0, 12)
  if (hasBytesAt(head, 0, Uint8Array.of(0xff, 0xd8))) return yield* planJpeg(file, words)
  if (hasBytesAt(head, 0, PNG_MARK)) return yield* planPng(file, words)
  return yield* planHeic(file, words)
}

function* planJpeg(file: Sized, words: PhotoWords): Reading<PlannedWords | undefined> {
  const top = yield* readJpeg(file, true)
  // One that ends before its pixels is damaged.
  if (!top?.segments.some(({ marker }) => marker === SOS)) return undefined
  let header = yield* readImageHeader(file, top.segments)
  const said = addWords(header.metadata, words, true)
  if (!said) return undefined
  const index = header.segments.find(({ kind }) => kind === 'mpf')
  let imageEnd: number | undefined = file.size
  // Only an index of pictures says where this one ends, which takes as long to find as it is large.
  if (index?.payload && readMpf(index.payload)) {
    const whole = yield* readJpeg(file)
    imageEnd = whole?.end
    if (whole) header = yield* readImageHeader(file, whole.segments)
  }
  const parts =
    imageEnd === undefined
      ? undefined
      : changeHeader(header, imageEnd, { exif: said.exif, xmp: said.xmp, mpf: false })
  return parts && imageEnd !== undefined
    ? { parts: [...parts, ...restFrom(imageEnd, file)], added: said.added }
    : undefined
}

function restFrom(start: number, { size }: Sized): FileParts {
  return start < size ? [{ start, end: size }] : []
}

function* planHeic(file: Sized, words: PhotoWords): Reading<PlannedWords | undefined> {
  const heic = yield* readHeic(file)
  if (!heic) return undefined
  const said = addWords(heic, words, heic.exifItem !== undefined)
  if (!said) return undefined
  const clipAt = heic.motionPhotoBox?.boxStart
  // Samsung's directory says where its clip lies, which must not move.
  if (clipAt !== undefined && (yield* readSamsungTrailer(file))) return undefined
  if (said.xmp !== undefined && !heic.xmpItem)
    return clipAt === undefined ? yield* withNewItem(file, words) : undefined
  const end = clipAt ?? file.size
  const parts = replaceItems(heic, said, end)
  return parts && { parts: [...parts, ...restFrom(end, file)], added: said.added }
}

/** The index of a HEIC without XMP gets an item for it, so that everything behind it moves. */
function* withNewItem(file: Sized, words: PhotoWords): Reading<PlannedWords | undefined> {
  const whole = addXmpItem(yield* take(file, 0, file.size))
  if (!whole) return undefined
  const heic = readNow(readHeic({ size: whole.length }), whole)
  const own = heic?.xmpItem && { exif: heic.exif, xmp: undefined }
  const said = own && addWords(own, words, heic.exifItem !== undefined)
  const parts = said && replaceItems(heic, said, whole.length)
  return parts && { parts: piecesOfParts(parts, whole), added: said.added }
}

const SOS = 0xda

const PNG_MARK = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
/** Chunks before the pixels: a few kilobytes, but for a colour profile. */
const MAX_PNG_HEAD = 1024 * 1024
const CHUNK_FRAME = 12
/** Behind the mark and IHDR. */
const AFTER_HEADER = 33

type PngHead = {
  readonly bytes: Uint8Array
  readonly chunks: readonly { readonly type: string; readonly start: number; readonly end: number }[]
}

/** A PNG up to its pixels. */
function* pngHead(file: Sized): Reading<PngHead | undefined> {
  const bytes = yield* take(file, 0, Math.min(file.size, MAX_PNG_HEAD))
  if (!hasBytesAt(bytes, 0, PNG_MARK)) return undefined
  const chunks: { type: string; start: number; end: number }[] = []
  for (let at = PNG_MARK.length; at + CHUNK_FRAME <= bytes.length; ) {
    const end = at + CHUNK_FRAME + viewOf(bytes).getUint32(at)
    const type = new TextDecoder('latin1').decode(bytes.subarray(at + 4, at + 8))
    if (type === 'IDAT') return { bytes: bytes.subarray(0, at), chunks }
    chunks.push({ type, start: at, end })
    at = end
  }
  return undefined
}

function* planPng(file: Sized, words: PhotoWords): Reading<PlannedWords | undefined> {
  const head = yield* pngHead(file)
  const [first] = head?.chunks ?? []
  if (!head || first?.type !== 'IHDR' || first.end !== AFTER_HEADER) return undefined
  const own = readPngTags(head.bytes)
  const said = addWords(own, words, true)
  // What is written in other ways than as chunks of their own stays, and nothing is added beside it.
  const isElsewhere = own.exif && !head.chunks.some(({ type }) => type === 'eXIf')
  const isText = own.xmp !== undefined
  if (!said || (isElsewhere && said.exif) || (isText && said.xmp !== undefined)) return undefined
  const added = [
    ...(said.exif ? [chunk('eXIf', said.exif)] : []),
    ...(said.xmp === undefined
      ? []
      : [
          chunk(
            'iTXt',
            concatBytes([asciiBytes('XML:com.adobe.xmp\0\0\0\0\0'), new TextEncoder().encode(said.xmp)]),
          ),
        ]),
  ]
  const old = said.exif ? head.chunks.filter(({ type }) => type === 'eXIf') : []
  const kept: FileParts[number][] = [{ start: 0, end: AFTER_HEADER }, ...added]
  let at = AFTER_HEADER
  for (const { start, end } of old) {
    kept.push({ start: at, end: start })
    at = end
  }
  return {
    parts: [...kept, ...restFrom(at, file)].filter((part) => sizeOfParts([part]) > 0),
    added: said.added,
  }
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const named = concatBytes([asciiBytes(type), data])
  const [size, sum] = [new Uint8Array(4), new Uint8Array(4)]
  viewOf(size).setUint32(0, data.length)
  viewOf(sum).setUint32(0, crc32(named))
  return concatBytes([size, named, sum])
}

/**
 * A JPEG with EXIF, in which a motion photo's marks can be: one that has none gets an empty one.
 * @returns undefined when it is damaged
 * @example
 * const still = withExif(jpeg) ?? jpeg
 */
export function withExif(jpeg: Uint8Array): Uint8Array | undefined {
  const header = headerOf(jpeg)
  if (header.metadata.exif) return jpeg
  const exif = addToExif(undefined, { takenAt: undefined, place: undefined, description: undefined })
  const parts = changeHeader(header, jpeg.length, { exif, xmp: undefined, mpf: false })
  return parts && concatBytes(piecesOfParts(parts, jpeg))
}
