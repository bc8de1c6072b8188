import { type Edit, presentationStart } from './edits'

/** Samples of one track that lie side by side in the file: `first` up to `end`, which is not included. */
export type Chunk = { readonly track: number; readonly first: number; readonly end: number }

type TimedTrack = {
  readonly timescale: number
  readonly durations: Uint32Array
  readonly edits: readonly Pick<Edit, 'durationSeconds' | 'mediaTime'>[]
}

/** A player holds about this much of a track before it needs the next one. */
const CHUNK_SECONDS = 0.5

/**
 * Cuts tracks into chunks of half a second and orders them by the time at which they are needed. At the same time, earlier
 * tracks come first.
 */
export function interleave(tracks: readonly TimedTrack[]): Chunk[] {
  return tracks
    .flatMap((track, index) => chunksOf(track, index))
    .sort((a, b) => a.seconds - b.seconds || a.track - b.track)
    .map(({ track, first, end }) => ({ track, first, end }))
}

function chunksOf(
  { timescale, durations, edits }: TimedTrack,
  track: number,
): (Chunk & { seconds: number })[] {
  const chunks: (Chunk & { seconds: number })[] = []
  let ticks = 0
  let start = 0
  let first = 0
  durations.forEach((duration, sample) => {
    ticks += duration
    const isLast = sample + 1 === durations.length
    if (!isLast && ticks - start < CHUNK_SECONDS * timescale) return
    chunks.push({
      track,
      first,
      end: sample + 1,
      seconds: start / timescale + shiftSeconds(edits, timescale),
    })
    first = sample + 1
    start = ticks
  })
  return chunks
}

/** How much later a sample is presented than its decoding time says. */
function shiftSeconds(edits: TimedTrack['edits'], timescale: number): number {
  const { emptySeconds, mediaTime } = presentationStart(edits)
  return emptySeconds - mediaTime / timescale
}
