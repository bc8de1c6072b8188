import { concatBytes } from '#core/bytes'
import { videoTrack } from '#core/formats/mp4/movie'
import { readIndex } from '#core/formats/mp4/readIndex'
import { endsOutside, readSamples } from '#core/formats/mp4/readSamples'
import { writeMovie } from '#core/formats/mp4/writeMovie'
import type { ByteSource } from '#core/formats/source/byteSource'
import type { OriginalTraits } from '../traits'
import { planCoverGroup } from './coverGroup'

/**
 * Reads the pictures around a frame of an MP4 or MOV, as an MP4 of their own.
 * @param frame of the whole original, at 30 a second
 * @returns undefined for what is no MP4 with a simple video track
 * @throws what the source throws
 */
export async function readCoverGroup(
  source: ByteSource,
  traits: OriginalTraits,
  frame: number,
): Promise<{ readonly movie: Uint8Array; readonly shiftFrames: number } | undefined> {
  const { kind, stream, streamId, isSeekable, startsAtZero } = traits
  if (kind !== 'video' || !isSeekable || !startsAtZero) return undefined
  const { movie } = await readIndex(source)
  const track = movie && videoTrack(movie, stream, streamId)
  const group = track && planCoverGroup(track, frame)
  if (!group || endsOutside(group.range, source.size)) return undefined
  const [samples = []] = await readSamples(source, [group.range])
  const { head } = writeMovie([group.movie])
  return { movie: concatBytes([head, ...samples]), shiftFrames: group.shiftFrames }
}
