import { viewOf } from '@lantern-room/base/bytes'
import { numberAt } from '../source/reading'
import { type Box, onlyBox } from './boxes'

/** Where every sample of a track lies and when it is shown. Index 0 is the first sample in decoding order. */
export type SampleTable = {
  readonly count: number
  /** Bytes of each sample. */
  readonly sizes: Uint32Array
  /** Where each sample begins, counted from the start of the file. */
  readonly offsets: Float64Array
  /** How long each sample lasts, in the track's timescale. */
  readonly durations: Uint32Array
  /** Composition time minus decoding time; undefined when they are the same everywhere (no B-frames). */
  readonly compositionOffsets: Int32Array | undefined
  /** 1 where decoding may start, else 0. */
  readonly sync: Uint8Array
}

/**
 * Unfolds the tables of an `stbl` box into one row per sample.
 * @param boxes the children of `stbl`
 * @param maxSamples refuses more than this: a table of a few bytes may claim four billion samples
 * @returns undefined when a table is missing, cut, or does not agree with the others
 * @see ISO/IEC 14496-12, 8.6 and 8.7
 */
export function readSampleTable(boxes: readonly Box[], maxSamples: number): SampleTable | undefined {
  const sizes = readSizes(onlyBox(boxes, 'stsz'), maxSamples)
  if (!sizes || hasTwins(boxes, 'stss') || hasTwins(boxes, 'ctts')) return undefined
  const durations = unfoldRuns(onlyBox(boxes, 'stts'), new Uint32Array(sizes.length))
  const offsets = readOffsets(boxes, sizes)
  const sync = readSync(onlyBox(boxes, 'stss'), sizes.length)
  if (!durations || !offsets || !sync) return undefined

  const ctts = onlyBox(boxes, 'ctts')
  // Version 0 calls them unsigned, yet writers put negative numbers there too; real offsets never need the 32nd bit.
  const compositionOffsets = ctts && unfoldRuns(ctts, new Int32Array(sizes.length))
  if (ctts && !compositionOffsets) return undefined
  return { count: sizes.length, sizes, offsets, durations, compositionOffsets, sync }
}

/**
 * The sum of sizes or durations.
 * @example
 * const bytes = total(track.samples.sizes)
 */
export function total(values: Uint32Array): number {
  return values.reduce((sum, value) => sum + value, 0)
}

/** When each sample is shown, in composition time and the track's timescale. */
export function compositionTimes({ durations, compositionOffsets }: SampleTable): Float64Array {
  let decoded = 0
  const times = new Float64Array(durations.length)
  durations.forEach((duration, index) => {
    times[index] = decoded + (compositionOffsets?.[index] ?? 0)
    decoded += duration
  })
  return times
}

/** When the last sample ends that is shown, alike. */
export function compositionEnd(samples: SampleTable): number {
  return compositionTimes(samples).reduce(
    (end, time, index) => Math.max(end, time + numberAt(samples.durations, index)),
    0,
  )
}

/** `onlyBox` returns undefined for a duplicate, too, which must not pass for an absent optional table. */
function hasTwins(boxes: readonly Box[], type: string): boolean {
  return boxes.filter((box) => box.type === type).length > 1
}

/** A "full box" with a count and rows of `rowSize` bytes: the rows' view, or undefined when they are not all there. */
function readRows(
  box: Box | undefined,
  rowSize: number,
  countAt = 4,
): { count: number; rows: DataView } | undefined {
  if (!box || box.body.length < countAt + 4) return undefined
  const count = viewOf(box.body).getUint32(countAt)
  const start = countAt + 4
  if (start + count * rowSize > box.body.length) return undefined
  return { count, rows: viewOf(box.body.subarray(start, start + count * rowSize)) }
}

function readSizes(box: Box | undefined, maxSamples: number): Uint32Array | undefined {
  if (!box || box.body.length < 12) return undefined
  const view = viewOf(box.body)
  const commonSize = view.getUint32(4)
  const count = view.getUint32(8)
  if (count > maxSamples) return undefined
  if (commonSize !== 0) return new Uint32Array(count).fill(commonSize)
  const table = readRows(box, 4, 8)
  return table && new Uint32Array(table.count).map((_, i) => table.rows.getUint32(i * 4))
}

/** Unfolds rows of (number of samples, value), which must cover all samples. */
function unfoldRuns<Values extends Uint32Array | Int32Array>(
  box: Box | undefined,
  values: Values,
): Values | undefined {
  const table = readRows(box, 8)
  if (!table) return undefined
  let sample = 0
  for (let row = 0; row < table.count; row++) {
    const end = sample + table.rows.getUint32(row * 8)
    if (end > values.length) return undefined
    values.fill(table.rows.getUint32(row * 8 + 4), sample, end)
    sample = end
  }
  return sample === values.length ? values : undefined
}

function readOffsets(boxes: readonly Box[], sizes: Uint32Array): Float64Array | undefined {
  const chunks = readChunkOffsets(boxes)
  const runs = readRows(onlyBox(boxes, 'stsc'), 12)
  if (!chunks || !runs) return undefined

  const offsets = new Float64Array(sizes.length)
  let sample = 0
  for (let row = 0; row < runs.count; row++) {
    const run = readChunkRun(runs.rows, row, chunks.length)
    if (!run) return undefined
    const [first, end, each] = run
    if (sample + (end - first) * each > sizes.length) return undefined
    for (let chunk = first; chunk < end; chunk++) {
      placeSamples(offsets, sizes, sample, each, numberAt(chunks, chunk))
      sample += each
    }
  }
  return sample === sizes.length ? offsets : undefined
}

/**
 * A row of `stsc`: it holds up to the first chunk of the next row, the last one up to the last chunk.
 * @returns its first chunk, counted from 0, the one after its last, and the samples in each
 */
function readChunkRun(rows: DataView, row: number, chunkCount: number) {
  const firstChunk = rows.getUint32(row * 12) - 1
  const nextRow = (row + 1) * 12
  const endChunk = nextRow < rows.byteLength ? rows.getUint32(nextRow) - 1 : chunkCount
  if (row === 0 && firstChunk !== 0) return undefined
  if (endChunk > chunkCount || (endChunk <= firstChunk && chunkCount > 0)) return undefined
  return [firstChunk, endChunk, rows.getUint32(row * 12 + 4)] as const
}

/** Places the samples of one chunk, which follow each other without gaps. */
function placeSamples(
  offsets: Float64Array,
  sizes: Uint32Array,
  first: number,
  count: number,
  chunkOffset: number,
): void {
  let offset = chunkOffset
  for (let sample = first; sample < first + count; sample++) {
    offsets[sample] = offset
    offset += sizes[sample] ?? 0
  }
}

function readChunkOffsets(boxes: readonly Box[]): Float64Array | undefined {
  const short = readRows(onlyBox(boxes, 'stco'), 4)
  const long = readRows(onlyBox(boxes, 'co64'), 8)
  if (short && !long) return new Float64Array(short.count).map((_, i) => short.rows.getUint32(i * 4))
  if (!long || short) return undefined
  const chunks = new Float64Array(long.count).map((_, i) => Number(long.rows.getBigUint64(i * 8)))
  return chunks.every(Number.isSafeInteger) ? chunks : undefined
}

function readSync(box: Box | undefined, count: number): Uint8Array | undefined {
  // Without an stss box every sample is a sync sample (audio).
  if (!box) return new Uint8Array(count).fill(1)
  const table = readRows(box, 4)
  if (!table) return undefined
  const sync = new Uint8Array(count)
  for (let row = 0; row < table.count; row++) {
    const number = table.rows.getUint32(row * 4)
    if (number === 0 || number > count) return undefined
    sync[number - 1] = 1
  }
  return sync
}
