import { readSamples } from '../movie/readSamples'
import type { FilledTrack } from '../movie/writeMovie'
import type { ByteSource } from '../source/byteSource'
import { numberAt, type Outcome } from '../source/reading'
import { foreignSets, readCodedStream, withOwnSets, withoutSets } from '../video/codedStream'
import type { SourceCut } from './cutSource'
import { playbackProblem, type SourceProblem } from './sourceProblem'

/** The pictures of a clip, and when each is shown: seconds from the clip's start. */
export type Pictures = FilledTrack & { readonly times: readonly number[] }

/** The source's own clock is kept where its times are not changed, so that they stay exact, and where it has a tick for each picture. */
const CLIP_TIMESCALE = 90_000
const MAX_TIMESCALE = 1_000_000

/**
 * Reads the pictures of an original that a cut has, as those of a clip.
 * @param source the original, of whose index the cut was made
 * @param shown.speed multiplier of playback speed, as the cut was made for
 * @param shown.seconds how long the clip is shown
 * @returns why they cannot be copied, if their own parameter sets say so
 * @throws FormatError `damaged` as `readSamples`; what the source throws
 * @example
 * const { cut } = cutSource(movie, { stream: 0, start: 1, end: 4, speed: 1 }, source.size)
 * const { pictures } = cut ? await readPictures(source, cut, { speed: 1, seconds: 3 }) : {}
 */
export async function readPictures(
  source: ByteSource,
  cut: SourceCut,
  { speed, seconds }: { readonly speed: number; readonly seconds: number },
): Promise<Outcome<{ readonly pictures: Pictures }, SourceProblem>> {
  const { samples, problem } = await readCut(source, cut)
  return samples ? { pictures: copySource(cut, samples, speed, seconds) } : { problem }
}

/**
 * The pictures of an original as a track of a clip, not a sample changed. Samples that only serve to decode others are
 * hidden by the edit list, and for players that ignore edit lists each lasts one tick of the clock: nothing is seen of them,
 * and sound stays with its picture.
 * @param samples the bytes of the cut's samples
 * @param seconds how long the clip is shown
 */
export function copySource(
  cut: SourceCut,
  samples: readonly Uint8Array[],
  speed: number,
  seconds: number,
): Pictures {
  const { track } = cut
  const isFine = track.timescale <= MAX_TIMESCALE && track.timescale * seconds >= cut.shown.length
  const timescale = speed === 1 && isFine ? track.timescale : CLIP_TIMESCALE
  const hidden = cut.hiddenBefore.length
  const total = Math.round(seconds * timescale)
  const shown = shownTicks(cut, timescale / speed, total)
  const composed = composedTicks(cut, shown, total)

  // Decoded one after the other in the times of showing, and no picture is shown before it is decoded.
  const decoded = [...composed].sort((a, b) => a - b)
  const offsets = composed.map((ticks, sample) => ticks - numberAt(decoded, sample))
  const delay = offsets.reduce((most, offset) => Math.max(most, -offset), 0)
  const isReordered = offsets.some((offset) => offset !== 0)
  const end = cut.hiddenAfter.length > 0 ? numberAt(decoded, decoded.length - 1) + 1 : hidden + total
  return {
    samples,
    times: shown.map((ticks) => ticks / timescale),
    track: {
      kind: 'video',
      sampleEntry: cut.sampleEntry,
      timescale,
      sizes: Uint32Array.from(samples, ({ length }) => length),
      durations: Uint32Array.from(decoded, (ticks, index) => (decoded[index + 1] ?? end) - ticks),
      compositionOffsets: isReordered ? Int32Array.from(offsets, (offset) => offset + delay) : undefined,
      sync: track.samples.sync.slice(cut.first, cut.end),
      edits: [{ durationSeconds: seconds, mediaTime: hidden + delay }],
      display: track.display,
    },
  }
}

/**
 * Reads the samples of a cut, without the parameter sets in them where those are said to be in the sample entry alone.
 * @returns why they cannot be copied, if their own parameter sets say so
 * @throws as `readSamples`
 */
export async function readCut(
  source: ByteSource,
  cut: SourceCut,
): Promise<Outcome<{ readonly samples: readonly Uint8Array[] }, SourceProblem>> {
  const { track, first, end, sampleEntry, rate } = cut
  const own = { samples: track.samples, first, end }
  const isRenamed = withOwnSets(track.sampleEntry) !== undefined
  // Those of the beginning hold until others come.
  const beginning = { samples: track.samples, first: 0, end: isRenamed && first > 0 ? 1 : 0 }
  const [samples = [], firstOfAll = []] = await readSamples(source, [own, beginning])
  const keyFrames = samples.filter((_, index) => track.samples.sync[first + index] === 1)
  const problem = playbackProblem(track, keyFrames, rate)
  if (problem) return { problem }
  const stream = isRenamed ? readCodedStream(sampleEntry) : undefined
  if (!stream) return { samples }
  if (foreignSets(stream, [...firstOfAll, ...samples]).length > 0) return { problem: 'codec' }
  return { samples: samples.map((sample) => withoutSets(stream, sample)) }
}

/** When each sample is presented, were it not for the edit list. */
function composedTicks(
  { hiddenBefore, shown, hiddenAfter }: SourceCut,
  shownAt: readonly number[],
  total: number,
): number[] {
  const hidden = hiddenBefore.length
  const composed: number[] = []
  hiddenBefore.forEach((sample, tick) => {
    composed[sample] = tick
  })
  shown.forEach((sample, index) => {
    composed[sample] = hidden + numberAt(shownAt, index)
  })
  hiddenAfter.forEach((sample, tick) => {
    composed[sample] = hidden + total + tick
  })
  return composed
}

/** When each shown picture begins, from 0 up; each at least a tick after the one before it, and before the end. */
function shownTicks({ shown, seconds }: SourceCut, ticksPerSecond: number, total: number): number[] {
  const ticks: number[] = []
  shown.forEach((sample, index) => {
    const wanted = index === 0 ? 0 : Math.round(numberAt(seconds, sample) * ticksPerSecond)
    const latest = total - (shown.length - index)
    ticks.push(Math.max(Math.min(wanted, latest), (ticks.at(-1) ?? -1) + 1))
  })
  return ticks
}
