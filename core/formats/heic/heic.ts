import { asciiBytes, hasBytesAt, latin1, viewOf } from '@lantern-room/base/bytes'
import {
  type Box,
  childrenOf,
  MAX_LISTED,
  onlyBox,
  type PlacedBox,
  readBoxes,
  readBoxesBetween,
  readBoxHeader,
} from '@lantern-room/mp4/boxes'
import { type Reading, type Sized, take } from '@lantern-room/mp4/source'
import type { Size } from '../jpeg/jpegFrame'
import { decodeXmp } from '../xmp/readXmp'
import { type HeicItem, mainItem, readHeicItems, readReferences } from './heicItems'

/** Where a box `mpvd` begins, its content begins, and it ends. */
export type MotionPhotoBox = { readonly boxStart: number; readonly start: number; readonly end: number }

/** What matters of a HEIC or AVIF file for a motion photo. */
export type Heic = {
  /** Pixels of the largest picture in the file. */
  readonly frame: Size | undefined
  /** The XMP packet, as text. */
  readonly xmp: string | undefined
  /** The TIFF structure of the EXIF item. */
  readonly exif: Uint8Array | undefined
  readonly xmpItem: HeicItem | undefined
  readonly exifItem: HeicItem | undefined
  /** What the box `mpvd` holds: an MP4; with Samsung its directory after it. */
  readonly motionPhotoBox: MotionPhotoBox | undefined
}

/** Major brands of still images. @see ISO/IEC 23008-12, annex B; AV1 Image File Format */
const IMAGE_BRANDS = new Set('heic heix heim heis hevc hevx mif1 msf1 avif avis'.split(' '))

const MAX_TOP_BOXES = 256
/** A phone's `meta` has some kilobytes, of which the tiles of a large picture take most. */
const MAX_META_BYTES = 4 * 1024 * 1024
/** The limit for XMP and for EXIF, each. */
const MAX_ITEM_BYTES = 1024 * 1024

/**
 * Reads the metadata of a HEIC or AVIF, and where its video is.
 * @returns undefined when the file is no such image
 * @see ISO/IEC 23008-12 (HEIF); Motion Photo format 1.0, "ISO base media file format-specific behavior"
 * @example
 * const { exif, xmp } = readNow(readHeic({ size: heic.length }), heic) ?? {}
 */
export function* readHeic(file: Sized): Reading<Heic | undefined> {
  const found = yield* readMeta(file)
  if (!found) return undefined
  const { boxes, children, childrenAt } = found
  const items = children ? readHeicItems(children, childrenAt) : []
  const bytesOf = function* (item: HeicItem | undefined): Reading<Uint8Array | undefined> {
    return item && (yield* take(file, item.start, item.start + Math.min(item.length, MAX_ITEM_BYTES)))
  }
  const described = readReferences(children ?? [], 'cdsc')
  const main = mainItem(children ?? [])
  // A gain map may have one of its own.
  const xmpItem = items.find(
    ({ id, type }) => type === 'mime application/rdf+xml' && described.get(id)?.includes(main) !== false,
  )
  const exifItem = items.find(({ type }) => type === 'Exif')
  const xmp = yield* bytesOf(xmpItem)
  const exif = yield* bytesOf(exifItem)
  return {
    frame: children && largestFrame(children),
    xmp: xmp && decodeXmp(xmp),
    // The item begins with the offset of its TIFF header.
    exif: exif && exif.length >= 4 ? exif.subarray(4 + viewOf(exif).getUint32(0)) : undefined,
    xmpItem,
    exifItem,
    motionPhotoBox: yield* findMotionPhotoBox(file, boxes),
  }
}

/**
 * The box with the video alone, without the picture's own metadata.
 * @param file that begins as `isHeicHead` wants
 */
export function* readMotionPhotoBox(file: Sized): Reading<MotionPhotoBox | undefined> {
  return yield* findMotionPhotoBox(file, yield* readTopBoxes(file))
}

function* findMotionPhotoBox(file: Sized, boxes: readonly PlacedBox[]): Reading<MotionPhotoBox | undefined> {
  const mpvd = boxes.find(({ type }) => type === 'mpvd') ?? (yield* readCutVideo(file, boxes.at(-1)))
  return (
    mpvd && {
      boxStart: mpvd.start,
      start: mpvd.start + mpvd.headerSize,
      end: mpvd.start + mpvd.size,
    }
  )
}

function readTopBoxes(file: Sized): Reading<readonly PlacedBox[]> {
  return readBoxesBetween(file, { start: 0, end: file.size, maxCount: MAX_TOP_BOXES })
}

/** The boxes of such an image, and the children of its index; undefined where that is missing, too large or damaged. */
export function* readMeta(file: Sized): Reading<
  | {
      readonly boxes: readonly PlacedBox[]
      readonly children: readonly Box[] | undefined
      readonly childrenAt: number
    }
  | undefined
> {
  if (!isHeicHead(yield* take(file, 0, 12))) return undefined
  const boxes = yield* readTopBoxes(file)
  const meta = boxes.find(({ type, size }) => type === 'meta' && size <= MAX_META_BYTES)
  if (!meta) return { boxes, children: undefined, childrenAt: 0 }
  // A full box: its version and flags come before its children.
  const childrenAt = meta.start + meta.headerSize + 4
  return { boxes, children: readBoxes(yield* take(file, childrenAt, meta.start + meta.size)), childrenAt }
}

/** The box of a video that is cut: it ends with the file. */
function* readCutVideo(file: Sized, last: PlacedBox | undefined): Reading<PlacedBox | undefined> {
  const start = last ? last.start + last.size : 0
  const header = readBoxHeader(yield* take(file, start, start + 16), 0)
  return header?.type === 'mpvd' ? { ...header, start, size: file.size - start } : undefined
}

/**
 * Whether a file that begins so is a HEIC or AVIF image.
 * @param head the first 12 bytes, or more
 * @example
 * const isHeic = isHeicHead(new Uint8Array(await file.slice(0, 12).arrayBuffer()))
 */
export function isHeicHead(head: Uint8Array): boolean {
  return hasBytesAt(head, 4, asciiBytes('ftyp')) && IMAGE_BRANDS.has(latin1(head, 8, 12))
}

function largestFrame(children: readonly Box[]): Heic['frame'] {
  const ipco = onlyBox(childrenOf(children, 'iprp'), 'ipco')
  const properties = (ipco && readBoxes(ipco.body, MAX_LISTED)) ?? []
  const frames = properties
    .filter(({ type, body }) => type === 'ispe' && body.length >= 12)
    .map(({ body }) => ({ width: viewOf(body).getUint32(4), height: viewOf(body).getUint32(8) }))
  return frames.sort((a, b) => b.width * b.height - a.width * a.height)[0]
}
