import { latin1 } from '@lantern-room/base/bytes'
import { type Movie, readMoov } from '@lantern-room/mp4'
import type { ByteSource } from '@lantern-room/mp4/source'
import { readFrom } from '@lantern-room/mp4/source'
import { hasFirstPicture } from '../firstPicture/firstPicture'
import { readApng } from '../png/apng'
import { surveyMovie } from './surveyMovie'
import { isPng } from './surveyVideo'

/** An index stands at the end, behind samples whose length may be false. */
const TAIL_BYTES = 4 * 1024 * 1024

/**
 * Why nothing can become of a video or an animation:
 * - `still`: it is a PNG that does not move
 * - `unreadable`: it is cut before its index or its first picture
 * - `encrypted`
 * - `pictureless`: it has no pictures
 */
export type ContainerProblem = 'still' | 'unreadable' | 'encrypted' | 'pictureless'

/**
 * Looks for the problem for which a video or an animation would be refused once it is decoded, as far as its container tells it.
 * @param isAnimation whether it is no video: an AVIF is built as an MP4 is
 * @returns undefined where there is none, or it is not certain without decoding
 * @throws FormatError `too-many-parts` of a PNG with more chunks than any animation; what the source throws
 * @example
 * const problem = await containerProblem(source, false) // 'encrypted'
 */
export async function containerProblem(
  source: ByteSource,
  isAnimation: boolean,
): Promise<ContainerProblem | undefined> {
  if ((await isPng(source)) && !(await readFrom(readApng(source), source)).isAnimated) return 'still'
  if (!(await readFrom(hasFirstPicture(source), source))) return 'unreadable'
  return indexProblem(source, isAnimation)
}

/** Of an MP4 or MOV, or an animation that is built alike (AVIF). */
async function indexProblem(source: ByteSource, isAnimation: boolean): Promise<ContainerProblem | undefined> {
  const { problem } = await readFrom(readMoov(source), source)
  if (problem === 'not-mp4') return undefined
  if (problem !== undefined && problem !== 'fragmented' && !(await isNamed('moov', source)))
    return 'unreadable'
  const { movie, isFragmented, isEncrypted } = await surveyMovie(source)
  if (isEncrypted) return 'encrypted'
  if (isFragmented && !(await isNamed('moof', source))) return 'unreadable'
  if (!movie && !(await isNamed('mdat', source))) return 'unreadable'
  if (!movie) return undefined
  const tracks = movie.tracks.filter(({ kind }) => isAnimation || kind === 'video')
  if (tracks.length === 0) return 'pictureless'
  return tracks.some((track) => beginsBefore(source.size, track)) ? undefined : 'unreadable'
}

/** Whether the box may be there, wherever players look for it. */
async function isNamed(box: string, source: ByteSource): Promise<boolean> {
  const { size } = source
  const [head, tail] = [
    await source.read(0, Math.min(TAIL_BYTES, size)),
    await source.read(Math.max(0, size - TAIL_BYTES), size),
  ]
  return latin1(head).includes(box) || latin1(tail).includes(box)
}

/** Whether the first sample is whole. */
function beginsBefore(fileSize: number, { samples: { offsets, sizes } }: Movie['tracks'][number]): boolean {
  const [offset, size] = [offsets[0], sizes[0]]
  return offset !== undefined && size !== undefined && offset + size <= fileSize
}
