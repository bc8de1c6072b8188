import { latin1 } from '@lantern-room/base'
import type { ByteSource, Movie } from '@lantern-room/formats'
import { readFrom } from '@lantern-room/formats'
import { hasFirstPicture, readApng, readMoov, surveyMovie } from '@lantern-room/formats/parts'
import { refusals } from '#media/formatRefusal'
import { encrypted, pictureless, unreadable } from './explainRefusal'
import { sniff, stillImage } from './sniff'

const HEAD_BYTES = 4096
/** An index stands at the end, behind samples whose length may be false. */
const TAIL_BYTES = 4 * 1024 * 1024

/**
 * Refuses a video or an animation as it would be once it is decoded, for what its container says: one that is cut before its index or its
 * first picture, has no pictures, or is encrypted. What is not certain without decoding is let through.
 * @throws ServiceError `invalid-request`, `unsupported-media`; what the source throws
 * @example await checkContent(source)
 */
export async function checkContent(source: ByteSource): Promise<void> {
  const head = await source.read(0, Math.min(HEAD_BYTES, source.size))
  if (/^\x89PNG/.test(latin1(head, 0, 4)) && !(await refusals(readFrom(readApng(source), source))).isAnimated)
    throw stillImage()
  if (!(await readFrom(hasFirstPicture(source), source))) throw unreadable()
  await checkIndex(source, sniff(head) === 'animated-image')
}

/** Of an MP4 or MOV, or an animation that is built alike (AVIF). */
async function checkIndex(source: ByteSource, isAnimation: boolean): Promise<void> {
  const { problem } = await readFrom(readMoov(source), source)
  if (problem === 'not-mp4') return
  if (problem !== undefined && problem !== 'fragmented' && !(await isNamed('moov', source)))
    throw unreadable()
  const { movie, boxes, isEncrypted } = await surveyMovie(source)
  if (isEncrypted) throw encrypted()
  if (boxes.some(({ type }) => type === 'mvex') && !(await isNamed('moof', source))) throw unreadable()
  if (!movie && !(await isNamed('mdat', source))) throw unreadable()
  if (!movie) return
  const tracks = movie.tracks.filter(({ kind }) => isAnimation || kind === 'video')
  if (tracks.length === 0) throw pictureless()
  if (!tracks.some((track) => beginsBefore(source.size, track))) throw unreadable()
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
