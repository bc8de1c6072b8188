import { concatBytes, equalBytes, viewOf } from '@lantern-room/base/bytes'
import { EOI, encodeSegment, type JpegStep, nextStep, SOI } from './jpeg'

/**
 * A filmstrip is one JPEG with its tiles below each other, each in a restart interval of its own. Restart intervals are
 * decoded independently: tiles become a strip, and a tile of a strip becomes a JPEG, by moving bytes.
 * @see ITU-T T.81, B.2.4.4 and E.1.4
 */

/** How the tiles of a filmstrip lie in its picture: in one column, tile `i` showing frame `i × interval`. Sizes in pixels. */
export type Filmstrip = {
  readonly tileWidth: number
  readonly tileHeight: number
  /** From the top of a tile to the top of the next; the rest of a row is filling. */
  readonly rowHeight: number
  readonly tiles: number
  /** Frames of the video from one tile to the next. */
  readonly interval: number
}

/** The height of a JPEG has 16 bits. */
const MAX_HEIGHT = 0xffff
/** So has the number of blocks in a restart interval. */
const MAX_INTERVAL = 0xffff

const SOF0 = 0xc0
const RST0 = 0xd0
const SOS = 0xda
const DRI = 0xdd

/**
 * Joins pictures to a filmstrip.
 * @param pictures baseline JPEGs, one after the other, of one size and with the same tables
 * @param video.frames pictures of later frames are left out
 * @param video.interval frames of the video from one picture to the next; the first is that of frame 0
 * @param video.maxTiles to which the pictures are thinned out, evenly
 * @returns undefined when the pictures cannot be joined: there is none, one is cut, or they differ in more than content
 * @example
 * const joined = joinTiles(mjpeg, { frames: 90, interval: 5, maxTiles: 60 }) // up to 18 tiles
 * if (joined) save(joined.jpeg, joined.strip)
 */
export function joinTiles(
  pictures: Uint8Array,
  video: { readonly frames: number; readonly interval: number; readonly maxTiles: number },
): { readonly jpeg: Uint8Array; readonly strip: Filmstrip } | undefined {
  const shown = Math.ceil(video.frames / video.interval)
  const all = readPictures(pictures)?.slice(0, shown)
  const every = Math.ceil((all?.length ?? 0) / video.maxTiles)
  const tiles = all?.filter((_, index) => index % every === 0) ?? []
  const [first] = tiles
  const layout = first && readLayout(first)
  if (!layout || !tiles.every((tile) => equalBytes(tile.head, first.head))) return undefined
  const strip = {
    tileWidth: layout.width,
    tileHeight: layout.height,
    rowHeight: layout.rowHeight,
    tiles: tiles.length,
    interval: video.interval * every,
  }
  const height = strip.tiles * strip.rowHeight
  if (height > MAX_HEIGHT || layout.blocks > MAX_INTERVAL) return undefined
  const head = withHeight(first, height)
  const restarts = encodeSegment(DRI, Uint8Array.of(layout.blocks >> 8, layout.blocks & 0xff))
  const scans = tiles.flatMap(({ scan }, index) =>
    index === 0 ? [scan] : [Uint8Array.of(0xff, RST0 + ((index - 1) % 8)), scan],
  )
  return {
    strip,
    jpeg: concatBytes([head.subarray(0, first.sosAt), restarts, head.subarray(first.sosAt), ...scans, END]),
  }
}

/**
 * One tile of a filmstrip as a JPEG of its own.
 * @param index of the tile, from 0
 * @returns undefined when there is no such tile, or the bytes are no filmstrip
 * @example
 * const jpeg = tileOf(joined.jpeg, joined.strip, 3) // the picture of frame 15 where the interval is 5
 */
export function tileOf(
  stripJpeg: Uint8Array,
  { tileHeight }: Pick<Filmstrip, 'tileHeight'>,
  index: number,
): Uint8Array | undefined {
  const picture = readPicture(stripJpeg, 0)
  const scan = picture && intervalOf(picture.scan, index)
  if (!picture || !scan || !picture.restartsAt) return undefined
  const head = withHeight(picture, tileHeight)
  const { start, end } = picture.restartsAt
  return concatBytes([head.subarray(0, start), head.subarray(end), scan, END])
}

/** A JPEG with one scan, taken apart. */
type Picture = NonNullable<ReturnType<typeof readPicture>>

const END = Uint8Array.of(0xff, EOI)

/**
 * The JPEGs that lie one after the other, as encoders of MJPEG write them.
 * @returns undefined when one is cut, or no baseline JPEG with one scan
 * @example
 * const [first] = splitPictures(mjpeg) ?? []
 */
export function splitPictures(bytes: Uint8Array): Uint8Array[] | undefined {
  return readPictures(bytes)?.map((picture) => picture.bytes)
}

/** @returns undefined as `splitPictures` */
function readPictures(bytes: Uint8Array): Picture[] | undefined {
  const pictures: Picture[] = []
  for (let at = 0; at < bytes.length; ) {
    const picture = readPicture(bytes, at)
    if (!picture) return undefined
    pictures.push(picture)
    at += picture.bytes.length
  }
  return pictures
}

/** @returns undefined when it is no baseline JPEG with exactly one scan, or is cut */
function readPicture(bytes: Uint8Array, start: number) {
  if (bytes[start] !== 0xff || bytes[start + 1] !== SOI) return undefined
  const found = new Map<number, JpegStep & { readonly kind: 'segment' }>()
  let step = nextStep(bytes, start + 2)
  while (step.kind === 'segment') {
    if (step.segment.marker === SOS && found.has(SOS)) return undefined
    found.set(step.segment.marker, step)
    step = nextStep(bytes, step.next)
  }
  const [frame, scan, restarts] = [found.get(SOF0), found.get(SOS), found.get(DRI)?.segment]
  if (step.kind !== 'image end' || !frame || !scan) return undefined
  return {
    /** From SOI to the end of the header of the scan. */
    head: bytes.subarray(start, scan.headerEnd),
    /** Where in `head` the frame header and the scan's header begin. */
    frameAt: frame.segment.start - start,
    sosAt: scan.segment.start - start,
    /** Where in `head` the restart interval is defined; undefined where it is not. */
    restartsAt: restarts && { start: restarts.start - start, end: restarts.end - start },
    /** Entropy-coded bytes. */
    scan: bytes.subarray(scan.headerEnd, scan.segment.end),
    /** The whole JPEG, up to its EOI. */
    bytes: bytes.subarray(start, step.next),
  }
}

function readLayout({ head, frameAt, restartsAt }: Picture) {
  const view = viewOf(head.subarray(frameAt))
  const [height, width, components] = [view.getUint16(5), view.getUint16(7), view.getUint8(9)]
  const sampling = Array.from({ length: components }, (_, index) => view.getUint8(11 + index * 3))
  const blockWidth = 8 * Math.max(...sampling.map((factors) => factors >> 4))
  const blockHeight = 8 * Math.max(...sampling.map((factors) => factors & 15))
  if (restartsAt || components < 2 || height === 0) return undefined
  const rows = Math.ceil(height / blockHeight)
  return {
    width,
    height,
    rowHeight: rows * blockHeight,
    /** Minimum coded units: the blocks of all components that belong together. */
    blocks: Math.ceil(width / blockWidth) * rows,
  }
}

function withHeight({ head, frameAt }: Picture, height: number): Uint8Array {
  const changed = head.slice()
  viewOf(changed).setUint16(frameAt + 5, height)
  return changed
}

/** The bytes of one restart interval: what lies between two restart markers. */
function intervalOf(scan: Uint8Array, wanted: number): Uint8Array | undefined {
  let index = 0
  let start = 0
  for (let at = scan.indexOf(0xff); at !== -1; at = scan.indexOf(0xff, at + 2)) {
    if (scan[at + 1] === 0) continue
    if (index === wanted) return scan.subarray(start, at)
    index += 1
    start = at + 2
  }
  return index === wanted ? scan.subarray(start) : undefined
}
