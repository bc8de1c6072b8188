import { asciiBytes, concatBytes, hasBytesAt } from '@lantern-room/base/bytes'
import {
  type ByteSpan,
  type FileParts,
  type Reading,
  readNow,
  type Sized,
  sizeOfParts,
  take,
  withoutSeams,
} from '@lantern-room/mp4/source'
import { EXIF_MARK } from '../exif/exif'
import { APP2, MPF_MARK, patchMpf, placeMpfSegment } from '../exif/mpf'
import { EXIF_IFD } from '../exif/patchExif'
import { openTiff } from '../exif/readTiff'
import { APP1, encodeSegment, type JpegSegment, SOS, walkJpeg } from '../jpeg/jpeg'
import { decodeXmp, isMotionPhotoXmp, readXmpPacket } from '../xmp/readXmp'
import { XMP_MARK } from '../xmp/xmp'
import { MAX_PACKETS } from './read'

/** The metadata of a JPEG that a repair may change, as texts and structures without their segments. */
export type ImageMetadata = {
  readonly exif: Uint8Array | undefined
  /** The packet of the motion photo, or the first one. */
  readonly xmp: string | undefined
}

export type HeaderChange = {
  /** Undefined = as it is. */
  readonly exif: Uint8Array | undefined
  readonly xmp: string | undefined
  /**
   * The MPF index. False: it stays, if there is one. True: there is one in any case. A number: it lists the image and another of
   * so many bytes right after it; 0: it lists the image alone.
   */
  readonly mpf: boolean | 'absent' | number
  /** Of a place behind the image: how many bytes between both are left out. Default: none. */
  readonly leftOutBefore?: ((offset: number) => number) | undefined
  /** What becomes of a segment of another kind: itself, other bytes, or nothing. Default: itself. */
  readonly others?: (segment: JpegSegment) => Uint8Array | JpegSegment | undefined
}

/** `continued`: EXIF that has no room in one segment goes on. `spare`: a second packet with the fields of a motion photo. */
type Kind = 'jfif' | 'exif' | 'continued' | 'xmp' | 'mpf' | 'spare' | 'other'

type Segment = {
  readonly kind: Kind
  /** In the file, with fill bytes before it. */
  readonly start: number
  readonly end: number
  /** After its mark; undefined of other segments. */
  readonly payload: Uint8Array | undefined
  /** Without fill bytes. */
  readonly plain: JpegSegment
}

export type ImageHeader = { readonly metadata: ImageMetadata; readonly segments: readonly Segment[] }

const APP0 = 0xe0
const SOI_SIZE = 2

const MARKS = [
  ['exif', APP1, EXIF_MARK],
  ['xmp', APP1, XMP_MARK],
  ['mpf', APP2, MPF_MARK],
] as const

/** Reads the metadata before the first scan of a JPEG. Of each kind the first segment counts, of XMP the motion photo's. */
export function* readImageHeader(file: Sized, all: readonly JpegSegment[]): Reading<ImageHeader> {
  const segments: Segment[] = []
  let start = SOI_SIZE
  const scanAt = all.findIndex((one) => one.marker === SOS)
  for (const plain of all.slice(0, scanAt)) {
    const { marker, start: markerAt, end } = plain
    const bytes = marker === APP1 || marker === APP2 ? yield* take(file, markerAt + 4, end) : undefined
    const found = bytes && MARKS.find(([, of, mark]) => of === marker && hasBytesAt(bytes, 0, mark))
    const kind = marker === APP0 ? 'jfif' : (found?.[0] ?? 'other')
    segments.push({ kind, start, end, payload: found && bytes.subarray(found[2].length), plain })
    start = end
  }
  const kept = withOneOfEach(withContinued(segments))
  const xmp = kept.find(({ kind }) => kind === 'xmp')?.payload
  const exif = kept.flatMap(({ kind, payload }) =>
    payload && (kind === 'exif' || kind === 'continued') ? [payload] : [],
  )
  return {
    metadata: { exif: exif.length > 1 ? concatBytes(exif) : exif[0], xmp: xmp && decodeXmp(xmp) },
    segments: kept,
  }
}

/**
 * The metadata of a JPEG at hand, as `readImageHeader` reads it.
 * @param jpeg from SOI on
 * @example
 * const { exif, xmp } = headerOf(jpeg).metadata
 */
export function headerOf(jpeg: Uint8Array): ImageHeader {
  return readNow(readImageHeader({ size: jpeg.length }, walkJpeg(jpeg, true)?.segments ?? []), jpeg)
}

/** Marks segments right behind EXIF that have its mark, but are no structure of their own. @see ExifTool, "Extended EXIF" */
function withContinued(segments: readonly Segment[]): Segment[] {
  const first = segments.findIndex(({ kind }) => kind === 'exif')
  const isHead = (segment: Segment | undefined) => segment?.payload && isTiffHead(segment.payload)
  if (!isHead(segments[first])) return [...segments]
  const end = segments.findIndex((one, i) => i > first && (one.kind !== 'exif' || isHead(one)))
  return segments.map((segment, i) =>
    i > first && (end < 0 || i < end) ? { ...segment, kind: 'continued' } : segment,
  )
}

function isTiffHead(bytes: Uint8Array): boolean {
  return hasBytesAt(bytes, 0, asciiBytes('II*\0')) || hasBytesAt(bytes, 0, asciiBytes('MM\0*'))
}

/** Marks all but one segment of each kind as segments to be left alone, or to be left out. */
function withOneOfEach(segments: readonly Segment[]): Segment[] {
  const first = (kind: Kind) => segments.find((segment) => segment.kind === kind)
  const isMotion = ({ payload }: Segment) =>
    payload !== undefined && isMotionPhotoXmp(readXmpPacket(decodeXmp(payload)))
  const packets = segments.filter(({ kind }) => kind === 'xmp').slice(0, MAX_PACKETS)
  const motion = new Set(packets.filter(isMotion))
  const [xmp = first('xmp')] = motion
  const ones = [first('exif'), xmp, first('mpf')]
  return segments.map((segment) => {
    if (segment.kind === 'jfif' || segment.kind === 'continued' || ones.includes(segment)) return segment
    return { ...segment, kind: motion.has(segment) ? 'spare' : 'other' }
  })
}

type Piece = { readonly kind: Kind; readonly part: Uint8Array | ByteSpan }

/** Bytes after a segment's length. */
const MAX_PAYLOAD = 0xffff - 2
/** Of a TIFF structure and of a packet in one segment. */
export const MAX_EXIF_BYTES = MAX_PAYLOAD - EXIF_MARK.length
export const MAX_XMP_BYTES = MAX_PAYLOAD - XMP_MARK.length

/**
 * Whether EXIF has room: in one segment, or in several where it had several before. Then its two main directories must lie in the first one,
 * which is all that most programs read.
 * @param old what it was
 */
export function fitsExif(exif: Uint8Array, old: Uint8Array | undefined): boolean {
  if (exif.length <= MAX_EXIF_BYTES) return true
  if (!old || old.length <= MAX_EXIF_BYTES) return false
  const { first, directory } = openTiff(exif) ?? {}
  const primary = directory?.(first)
  const photo = directory?.(primary?.number(EXIF_IFD))
  return [primary, photo].every((one) => one && one.entries.size > 0 && one.end <= MAX_EXIF_BYTES)
}

/** EXIF in as many segments as it needs. */
function exifSegments(exif: Uint8Array): Uint8Array {
  const count = Math.max(1, Math.ceil(exif.length / MAX_EXIF_BYTES))
  const segments = Array.from({ length: count }, (_, i) =>
    encodeSegment(
      APP1,
      concatBytes([EXIF_MARK, exif.subarray(i * MAX_EXIF_BYTES, (i + 1) * MAX_EXIF_BYTES)]),
    ),
  )
  return concatBytes(segments)
}

/**
 * The primary image with changed metadata; every other byte of it stays.
 * @param imageEnd of the image in the file, after EOI
 * @returns undefined when a segment would be longer than 65,533 bytes (`fitsExif`)
 */
export function changeHeader(
  { segments, metadata }: ImageHeader,
  imageEnd: number,
  change: HeaderChange,
): FileParts | undefined {
  const { exif } = change
  const xmp =
    change.xmp === undefined ? undefined : concatBytes([XMP_MARK, new TextEncoder().encode(change.xmp)])
  if ((exif && !fitsExif(exif, metadata.exif)) || (xmp?.length ?? 0) > MAX_PAYLOAD) return undefined
  const isDropped = ({ kind }: Segment) =>
    (kind === 'spare' && xmp !== undefined) ||
    (kind === 'continued' && exif !== undefined) ||
    (kind === 'mpf' && typeof change.mpf !== 'boolean')
  const kept = segments.filter((segment) => !isDropped(segment))
  let pieces: readonly Piece[] = kept.flatMap((segment) => pieceOf(segment, change.others))
  if (exif) pieces = put(pieces, { kind: 'exif', part: exifSegments(exif) }, ['jfif'])
  if (xmp)
    pieces = put(pieces, { kind: 'xmp', part: encodeSegment(APP1, xmp) }, ['jfif', 'exif', 'continued'])
  const isLittle = openTiff(change.exif ?? metadata.exif ?? new Uint8Array())?.isLittle ?? true
  const hasIndex = pieces.some(({ kind }) => kind === 'mpf')
  const otherBytes = typeof change.mpf === 'number' ? change.mpf : undefined
  if (otherBytes !== undefined || (change.mpf === true && !hasIndex)) {
    pieces = put(pieces, { kind: 'mpf', part: placeMpfSegment(0, otherBytes, 0, isLittle) }, [
      'jfif',
      'exif',
      'continued',
      'xmp',
    ])
  }
  const scan = { start: segments.at(-1)?.end ?? SOI_SIZE, end: imageEnd }
  const partsOf = (all: readonly Piece[]) => [
    { start: 0, end: SOI_SIZE },
    ...all.map(({ part }) => part),
    scan,
  ]
  const size = sizeOfParts(partsOf(pieces))
  const index = indexFor(kept, pieces, {
    size,
    grownBy: size - imageEnd,
    otherBytes,
    isLittle,
    leftOutBefore: change.leftOutBefore,
  })
  return withoutSeams(partsOf(index ? put(pieces, { kind: 'mpf', part: index }, []) : pieces))
}

/** A segment with its fill bytes unless it is changed. @returns nothing of one that goes */
function pieceOf({ kind, start, end, plain }: Segment, others: HeaderChange['others']): Piece[] {
  const isOther = kind === 'other' || kind === 'jfif'
  const part = isOther && others ? others(plain) : plain
  if (part === undefined) return []
  return [{ kind, part: part instanceof Uint8Array ? part : { start, end } }]
}

/** Replaces the piece of this kind, or puts it after the last one of the kinds before it. */
function put(pieces: readonly Piece[], piece: Piece, after: readonly Kind[]): readonly Piece[] {
  if (pieces.some(({ kind }) => kind === piece.kind)) {
    return pieces.map((old) => (old.kind === piece.kind && piece.kind !== 'other' ? piece : old))
  }
  const at = pieces.findLastIndex(({ kind }) => after.includes(kind)) + 1
  return [...pieces.slice(0, at), piece, ...pieces.slice(at)]
}

/** The MPF segment for an image of a new size; undefined where there is none, or one that cannot be read. */
function indexFor(
  segments: readonly Segment[],
  pieces: readonly Piece[],
  image: Pick<HeaderChange, 'leftOutBefore'> & {
    readonly size: number
    readonly grownBy: number
    readonly otherBytes: number | undefined
    readonly isLittle: boolean
  },
): Uint8Array | undefined {
  const place = pieces.findIndex(({ kind }) => kind === 'mpf')
  if (place < 0) return undefined
  const old = segments.find(({ kind }) => kind === 'mpf')
  const newEnd = SOI_SIZE + sizeOfParts(pieces.slice(0, place + 1).map(({ part }) => part))
  if (!old?.payload) return placeMpfSegment(image.size, image.otherBytes, newEnd, image.isLittle)
  const headerAt = old.end - old.payload.length
  const movedBy = image.grownBy - (newEnd - old.end)
  const index = patchMpf(old.payload, {
    primaryBytes: image.size,
    othersMovedBy: (offset) => movedBy - (image.leftOutBefore?.(headerAt + offset) ?? 0),
  })
  return index && encodeSegment(APP2, concatBytes([MPF_MARK, index]))
}
