import type { ByteSource } from '../source/byteSource'
import { FormatError } from '../source/formatError'
import { numberAt } from '../source/reading'
import { type SampleTable, total } from './sampleTable'

/** Samples `first` up to `end` (not included) of one track. */
export type SampleRange = { readonly samples: SampleTable; readonly first: number; readonly end: number }

/** Bytes that are cheaper to read in passing than by a request of their own. */
const MAX_GAP_BYTES = 65_536

/** Reads of more than this are parted, so that neither side holds a whole long clip twice. */
const MAX_READ_BYTES = 16 * 1024 * 1024

/** Each costs objects. More than two minutes of a thousand pictures a second. */
export const MAX_SAMPLES_AT_ONCE = 131_072

/**
 * Reads ranges of samples with few reads: what lies close together, also of several tracks, is read at once. Ranges do not overlap.
 * @returns for each range its samples' bytes, in decoding order
 * @throws FormatError `damaged`, before a byte is read, when a table points outside the source, or its samples share bytes, so that
 *   a small file could ask for much; what the source throws
 * @example
 * const [samples = []] = await readSamples(source, [{ samples: track.samples, first: 0, end: 30 }])
 */
export async function readSamples(
  source: ByteSource,
  ranges: readonly SampleRange[],
): Promise<Uint8Array[][]> {
  const problem = problemOf(ranges, source.size)
  if (problem)
    throw new FormatError('damaged', `The index of the video ${problem}. Play it, and send it again.`)
  const places = ranges.flatMap(placesOf).sort((a, b) => a.start - b.start)
  const result = ranges.map(({ first, end }) => new Array<Uint8Array>(Math.max(0, end - first)))
  for (const { start, end, places: inside } of reads(places)) {
    const bytes = await source.read(start, end)
    for (const place of inside) {
      const list = result[place.range]
      if (list) list[place.index] = bytes.subarray(place.start - start, place.end - start)
    }
  }
  return result
}

/** Why ranges are not read; undefined when they are. */
function problemOf(ranges: readonly SampleRange[], sourceBytes: number): string | undefined {
  const count = ranges.reduce((sum, { first, end }) => sum + Math.max(0, end - first), 0)
  const bytes = ranges.reduce(
    (sum, { samples, first, end }) => sum + total(samples.sizes.subarray(first, end)),
    0,
  )
  if (ranges.some((range) => endsOutside(range, sourceBytes)))
    return 'names samples that are not in the file: it is cut or damaged'
  if (bytes > sourceBytes) return 'names the same bytes again and again'
  return count > MAX_SAMPLES_AT_ONCE ? 'names more samples than a clip can have' : undefined
}

/** Whether `readSamples` reads a range of a file of this size. */
export function isReadable(range: SampleRange, fileBytes: number): boolean {
  return problemOf([range], fileBytes) === undefined
}

/**
 * Whether the table of a damaged file points behind its end.
 * @example
 * const isCut = endsOutside({ samples: track.samples, first: 0, end: track.samples.count }, file.size)
 */
export function endsOutside({ samples, first, end }: SampleRange, fileBytes: number): boolean {
  return samples.sizes
    .subarray(first, end)
    .some((size, index) => numberAt(samples.offsets, first + index) + size > fileBytes)
}

type Place = { readonly range: number; readonly index: number; readonly start: number; readonly end: number }

function placesOf({ samples, first, end }: SampleRange, range: number): Place[] {
  return Array.from({ length: Math.max(0, end - first) }, (_, index) => {
    const start = numberAt(samples.offsets, first + index)
    return { range, index, start, end: start + numberAt(samples.sizes, first + index) }
  })
}

/** Joins places, which are in the file's order, to reads. */
function reads(places: readonly Place[]): { start: number; end: number; places: Place[] }[] {
  const joined: { start: number; end: number; places: Place[] }[] = []
  for (const place of places) {
    const last = joined.at(-1)
    if (last && place.start - last.end <= MAX_GAP_BYTES && place.end - last.start <= MAX_READ_BYTES) {
      last.end = Math.max(last.end, place.end)
      last.places.push(place)
    } else joined.push({ start: place.start, end: place.end, places: [place] })
  }
  return joined
}
