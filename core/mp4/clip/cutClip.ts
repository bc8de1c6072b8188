import { plainAacEntry } from '../movie/aac'
import type { Movie } from '../movie/movie'
import { readIndex } from '../movie/readIndex'
import type { Track } from '../movie/track'
import type { FilledTrack } from '../movie/writeMovie'
import type { ByteSource } from '../source/byteSource'
import type { Outcome } from '../source/reading'
import { readPictures } from './copySource'
import { copySound, cutBoundedSound, isCopyable, readSound } from './cutSound'
import { cutSource, originOf, type SourceRange } from './cutSource'
import { joinClip } from './joinClip'
import type { SourceProblem } from './sourceProblem'

export type CutClip = {
  /** As motion photos have it: `ftyp`, `free`, `moov`, `mdat`. */
  readonly mp4: Uint8Array
  /** When each picture is shown: seconds from the clip's start. */
  readonly times: readonly number[]
  /** Whether there is sound that a copy would not fit. */
  readonly lacksSound: boolean
}

/**
 * Cuts a clip out of an MP4 or MOV: pictures (AVC, HEVC) and sound (AAC) are copied, nothing is encoded. Sound is left out where a
 * copy would not fit: at another speed, in another codec, put together of several edits, or with numbers that sound cannot have.
 * @param range.mute leaves the sound out
 * @param index of the source, where it was read already
 * @throws FormatError `damaged` when a sample of it lies outside of the file; what the source throws
 * @example
 * const clip = await cutClip(blobSource(file), { stream: 0, start: 1, end: 4, speed: 1 })
 * if (clip.problem) throw new Error(clip.problem)
 */
export async function cutClip(
  source: ByteSource,
  range: SourceRange & { readonly mute?: boolean },
  index?: Movie,
): Promise<Outcome<CutClip, SourceProblem>> {
  const movie = index ?? (await readIndex(source)).movie
  if (!movie) return { problem: 'format' }
  const { cut, problem } = cutSource(movie, range, source.size)
  if (!cut) return { problem }
  const seconds = (range.end - range.start) / range.speed
  const read = await readPictures(source, cut, { speed: range.speed, seconds })
  if (!read.pictures) return { problem: read.problem }
  const soundTrack = range.mute ? undefined : movie.tracks.find(({ kind }) => kind === 'audio')
  const sound = soundTrack && (await copySoundOf(source, movie, soundTrack, range))
  const { mp4, times } = joinClip(read.pictures, sound)
  return {
    mp4,
    times,
    lacksSound: soundTrack !== undefined && sound === undefined,
  }
}

async function copySoundOf(
  source: ByteSource,
  movie: Movie,
  heard: Track,
  range: SourceRange,
): Promise<FilledTrack | undefined> {
  if (range.speed !== 1 || !isCopyable(heard, source.size)) return undefined
  const track = { ...heard, sampleEntry: plainAacEntry(heard.sampleEntry) }
  const origin = originOf(movie)
  const cut = cutBoundedSound(track, range.start + origin, range.end + origin, source.size)
  return cut && copySound(cut, await readSound(source, cut))
}
