import { latin1, viewOf } from '#core/bytes'
import type { ByteSource } from '../source/byteSource'
import type { Patch } from '../source/fileParts'
import { type Box, childrenOf, onlyBox, readBoxes, readBoxHeader } from './boxes'
import { type Movie, type MovieProblem, type MovieResult, readMovie } from './movie'
import type { Track } from './track'

/** One read that mostly holds every header up to the index, and often the index itself. */
const WINDOW_BYTES = 65_536

/** Some 20 MB hold the tables of `MAX_SAMPLES` samples. */
const MAX_INDEX_BYTES = 64 * 1024 * 1024

/** More top-level boxes than any unfragmented file has. Each may cost a read. */
const MAX_BOXES = 64

/**
 * Reads the index of an MP4 or MOV wherever it lies: the headers of the top-level boxes up to `moov`, and `moov` itself.
 * Samples are not read.
 * @returns the movie, its sample offsets counted from the start of the source; or why there is none, as `readMovie` says
 * @throws what the source throws
 */
export async function readIndex(source: ByteSource): Promise<MovieResult> {
  const { moov, problem } = await readMoov(source)
  if (!moov) return { problem }
  const result = readMovie(moov.bytes, { fileOffset: moov.offset })
  return result.movie ? { movie: { ...result.movie, brand: moov.brand } } : result
}

/** What must be known of an MP4 or MOV before another program reads it. */
export type MovieSurvey = {
  /** Undefined for what `readIndex` does not read, such as fragments. */
  readonly movie: Movie | undefined
  /** The children of `moov`. */
  readonly boxes: readonly Box[]
  /** Whether pictures or sound are encrypted. */
  readonly isEncrypted: boolean
  /** What to write over edits that last for the rest of their track, which ffmpeg takes for empty: how long that is. */
  readonly patches: readonly Patch[]
}

/** Reads the index of a file as `readIndex` does; of fragments, their descriptions. @throws what the source throws */
export async function surveyMovie(source: ByteSource): Promise<MovieSurvey> {
  const { moov } = await readMoov(source)
  if (!moov) return { movie: undefined, boxes: [], isEncrypted: false, patches: [] }
  const { movie } = readMovie(moov.bytes, { fileOffset: moov.offset })
  const boxes = childrenOf(readBoxes(moov.bytes) ?? [], 'moov')
  const tracks = boxes.filter(({ type }) => type === 'trak').map(({ body }) => readBoxes(body) ?? [])
  return {
    movie,
    boxes,
    isEncrypted: tracks.some(isEncrypted),
    patches: tracks
      .flatMap((boxes, index) => openEditPatches(boxes, movie?.tracks[index], movie?.timescale ?? 1))
      .map(({ offset, bytes }) => ({ offset: offset - moov.bytes.byteOffset + moov.offset, bytes })),
  }
}

/** Sample entries of Common Encryption and of FairPlay. @see ISO/IEC 14496-12, 8.12 */
const ENCRYPTED = ['encv', 'enca', 'drmi', 'drms']

function isEncrypted(trackBoxes: readonly Box[]): boolean {
  const tables = ['mdia', 'minf', 'stbl'].reduce(childrenOf, trackBoxes)
  const entries = onlyBox(tables, 'stsd')?.body.subarray(8)
  return (entries && readBoxes(entries))?.some(({ type }) => ENCRYPTED.includes(type)) ?? false
}

/** @returns patches whose offsets count in the buffer in which the boxes lie */
function openEditPatches(trackBoxes: readonly Box[], track: Track | undefined, timescale: number): Patch[] {
  const elst = childrenOf(trackBoxes, 'edts').find(({ type }) => type === 'elst')?.body
  if (!elst || !track) return []
  const isLong = elst[0] === 1
  const rowSize = isLong ? 20 : 12
  return track.edits.flatMap(({ mediaTime, durationSeconds }, row) => {
    const bytes = elst.slice(8 + row * rowSize, 8 + row * rowSize + (isLong ? 8 : 4))
    const ticks = Math.ceil(durationSeconds * timescale)
    if (mediaTime === undefined || ticks === 0 || ticks > 0xffffffff || bytes.some((byte) => byte !== 0))
      return []
    viewOf(bytes).setUint32(bytes.length - 4, ticks)
    return [{ offset: elst.byteOffset + 8 + row * rowSize, bytes }]
  })
}

type MoovResult =
  | {
      /** The box `moov` with its header, where it lies in the file, and the major brand that the file says before it. */
      readonly moov: {
        readonly bytes: Uint8Array
        readonly offset: number
        readonly brand: string | undefined
      }
      readonly problem?: undefined
    }
  | { readonly moov?: undefined; readonly problem: MovieProblem }

/** The bytes of an index, as `readIndex` finds them. */
async function readMoov(source: ByteSource): Promise<MoovResult> {
  const window = openWindow(source)
  let brand: string | undefined
  let at = 0
  for (let box = 0; box < MAX_BOXES && at < source.size; box++) {
    const bytes = await window.from(at, 16)
    const header = readBoxHeader(bytes, 0, source.size - at)
    if (!header || !/^[ -~\xa9]{4}$/.test(header.type)) return { problem: at === 0 ? 'not-mp4' : 'malformed' }
    if (header.type === 'moof') return { problem: 'fragmented' }
    if (header.type === 'moov') return readWhole(header.size)
    if (header.type === 'ftyp') brand = latin1(bytes, header.headerSize, header.headerSize + 4)
    at += header.size
  }
  return { problem: 'incomplete' }

  async function readWhole(size: number): Promise<MoovResult> {
    if (at + size > source.size) return { problem: 'incomplete' }
    if (size > MAX_INDEX_BYTES) return { problem: 'malformed' }
    const bytes = (await window.from(at, size)).subarray(0, size)
    return { moov: { bytes, offset: at, brand } }
  }
}

/** Reads ahead, so that neighbouring boxes cost one read together. */
function openWindow(source: ByteSource) {
  let start = 0
  let bytes = new Uint8Array()
  return {
    /** @returns bytes from `at` on: at least `length`, or all that the source has */
    async from(at: number, length: number): Promise<Uint8Array> {
      const needed = Math.min(at + length, source.size)
      if (at < start || needed > start + bytes.length) {
        bytes = new Uint8Array(
          await source.read(at, Math.min(source.size, at + Math.max(length, WINDOW_BYTES))),
        )
        start = at
      }
      return bytes.subarray(at - start)
    },
  }
}
