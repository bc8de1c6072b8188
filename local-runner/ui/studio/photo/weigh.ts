import type { Track } from '@lantern-room/mp4'
import { keyFrameBefore, presentedSeconds } from '@lantern-room/mp4/clip'
import { numberAt } from '@lantern-room/mp4/source'
import type { Cut } from './cut'
import { FPS } from './cut'
import { indexOf } from './pictures'

/** What an index and the marks of phones take. */
const OTHER_BYTES = 12_000

/**
 * How many bytes of a file a clip of it has that is copied.
 * @returns undefined of what is no movie
 */
export async function weigh(file: File, cut: Cut, keepsSound: boolean): Promise<number | undefined> {
  const movie = await indexOf(file)
  if (!movie) return undefined
  const [start, end] = [cut.start / FPS, cut.end / FPS]
  const kinds = keepsSound ? ['video', 'audio'] : ['video']
  const copied = movie.tracks.filter(({ kind }) => kinds.includes(kind))
  return copied.reduce((sum, track) => sum + bytesBetween(track, start, end), OTHER_BYTES)
}

/** Of the samples that are shown in a range, with those of the pictures before it from which the first ones are predicted. */
function bytesBetween(track: Track, start: number, end: number): number {
  const { samples, kind } = track
  const times = presentedSeconds(track)
  let begin = times.findIndex((time) => time >= start)
  if (begin < 0) return 0
  if (kind === 'video') begin = keyFrameBefore(samples, times, begin, start) ?? begin
  let bytes = 0
  for (let sample = begin; sample < samples.count; sample += 1) {
    if (numberAt(times, sample) < end) bytes += samples.sizes[sample] ?? 0
  }
  return bytes
}
