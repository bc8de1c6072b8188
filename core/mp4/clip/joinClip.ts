import { plainAacEntry } from '../movie/aac'
import { readIndex } from '../movie/readIndex'
import { type Track, turnDisplay } from '../movie/track'
import { type FilledTrack, joinMovie } from '../movie/writeMovie'
import type { ByteSource } from '../source/byteSource'
import type { Outcome } from '../source/reading'
import type { Pictures } from './copySource'

/**
 * Joins copied pictures and sound to a clip.
 * @param degrees clockwise, 0, 90, 180 or 270, by which players turn the pictures. @default 0
 * @returns `mp4`: as motion photos have it; `times`: when each picture is shown, in seconds from the start
 * @throws RangeError when a size or a duration does not fit 32 bits
 * @example
 * const { mp4, times } = joinClip(pictures, sound, 90)
 */
export function joinClip(
  pictures: Pictures,
  sound?: FilledTrack,
  degrees = 0,
): { readonly mp4: Uint8Array; readonly times: readonly number[] } {
  const { samples, track, times } = pictures
  const turned = {
    samples,
    track: { ...track, display: track.display && turnDisplay(track.display, degrees) },
  }
  return { mp4: joinMovie(sound ? [turned, sound] : [turned]), times }
}

/**
 * The tracks of an MP4 of which a clip is cut: its pictures, and its sound as MP4 describes it. Only the index is read.
 * @returns or why there are none, in words for developers
 * @throws what the source throws
 * @example
 * const { video, audio, problem } = await readClipTracks(source)
 * if (!video) throw new Error(problem)
 */
export async function readClipTracks(
  source: ByteSource,
): Promise<Outcome<{ readonly video: Track; readonly audio: Track | undefined }, string>> {
  const { movie, problem } = await readIndex(source)
  const video = movie?.tracks.find(({ kind }) => kind === 'video')
  if (!video) return { problem: problem ?? 'no video track' }
  const audio = movie?.tracks.find(({ kind }) => kind === 'audio')
  return { video, audio: audio && { ...audio, sampleEntry: plainAacEntry(audio.sampleEntry) } }
}
