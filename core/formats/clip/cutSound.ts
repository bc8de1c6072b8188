import { AAC_FRAME, readAacChannels, silentAacFrame } from '../mp4/aac'
import { presentationStart } from '../mp4/edits'
import { type NewTrack, sliceTrack } from '../mp4/encodeTrack'
import type { Track } from '../mp4/track'
import type { FilledTrack } from '../mp4/writeMovie'
import { numberAt } from '../source/reading'

/** Which samples of a sound track are heard in a stretch of time, and how they lie in it. */
export type SoundCut = {
  readonly track: Track
  /** Samples, `end` not included. The first one may serve only to decode the second. */
  readonly first: number
  readonly end: number
  /** Where the stretch begins, in ticks from the first sample. */
  readonly mediaTime: number
  /** Silence before the sound starts. */
  readonly delaySeconds: number
  readonly seconds: number
  /** Frames of silence that fill the stretch when the sound ends before it does. */
  readonly silentFrames: number
}

/**
 * @param track AAC-LC of our own making: one edit, and perhaps an empty one before it
 * @param start seconds, in the time that a player shows; may lie before the sound and before 0
 */
export function cutSound(track: Track, start: number, end: number): SoundCut {
  const { samples, timescale } = track
  const { emptySeconds, mediaTime: mediaStart } = presentationStart(track.edits)
  const mediaTimeAt = (seconds: number) => mediaStart + Math.round((seconds - emptySeconds) * timescale)

  const from = Math.max(mediaStart, mediaTimeAt(start))
  const to = mediaTimeAt(end)
  const starts = startTicks(samples.durations)
  const total = Math.min(numberAt(starts, samples.count), editEnd(track))
  const isAbsent = from >= Math.min(total, to)
  // A frame is decoded together with the one before it.
  const first = isAbsent ? 0 : Math.max(0, lastAtOrBefore(starts, from) - 1)
  const last = isAbsent ? 0 : Math.min(samples.count, lastAtOrBefore(starts, Math.min(to, total) - 1) + 1)
  return {
    track,
    first,
    end: last,
    mediaTime: isAbsent ? 0 : from - numberAt(starts, first),
    delaySeconds: isAbsent ? 0 : (from - mediaTimeAt(start)) / timescale,
    seconds: end - start,
    silentFrames: Math.ceil(Math.max(0, isAbsent ? to - mediaTimeAt(start) : to - total) / AAC_FRAME),
  }
}

/** The cut as a track of a clip, not a sample changed. @param samples the bytes of the cut's samples */
export function copySound(cut: SoundCut, samples: readonly Uint8Array[]): FilledTrack {
  const copied = sliceTrack(cut.track, cut.first, cut.end, soundEdits(cut))
  const silence = silentAacFrame(readAacChannels(cut.track.sampleEntry) ?? 0)
  const added = silence ? Array<Uint8Array>(cut.silentFrames).fill(silence) : []
  return {
    track: {
      ...copied,
      sizes: Uint32Array.from([...copied.sizes, ...added.map(({ length }) => length)]),
      durations: Uint32Array.from([...copied.durations, ...added.map(() => AAC_FRAME)]),
    },
    samples: [...samples, ...added],
  }
}

function soundEdits({ delaySeconds, mediaTime, seconds }: SoundCut): NewTrack['edits'] {
  const sound = { durationSeconds: seconds - delaySeconds, mediaTime }
  return delaySeconds > 0 ? [{ durationSeconds: delaySeconds, mediaTime: undefined }, sound] : [sound]
}

/** Where an edit list ends the sound, in ticks. A frame more is no cut: the durations of edits are rounded. */
function editEnd({ edits, timescale }: Track): number {
  const { mediaTime, durationSeconds } = edits.at(-1) ?? {}
  const end = Math.round((durationSeconds ?? 0) * timescale) + AAC_FRAME
  return mediaTime === undefined ? Number.POSITIVE_INFINITY : mediaTime + end
}

/** When each sample starts, and after them when the last one ends. */
function startTicks(durations: Uint32Array): Float64Array {
  const starts = new Float64Array(durations.length + 1)
  durations.forEach((duration, index) => {
    starts[index + 1] = numberAt(starts, index) + duration
  })
  return starts
}

/** @returns 0 when all lie after `ticks` */
function lastAtOrBefore(starts: Float64Array, ticks: number): number {
  return Math.max(
    0,
    starts.findLastIndex((start) => start <= ticks),
  )
}
