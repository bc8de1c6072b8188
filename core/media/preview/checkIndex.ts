import { latin1 } from '@lantern-room/base'
import type { ByteSource } from '@lantern-room/formats'
import { readFrom } from '@lantern-room/formats'
import { readMoov, surveyMovie } from '@lantern-room/formats/parts'
import { encrypted, pictureless, unreadable } from './explainRefusal'

/** An index stands at the end, behind samples whose length may be false. */
const TAIL_BYTES = 4 * 1024 * 1024

/**
 * Refuses a video for what its index says, as it would be once it is decoded: an MP4 or MOV that is cut before its index, has no
 * pictures, or is encrypted. Of other formats nothing is known without decoding.
 * @throws ServiceError `invalid-request`, `unsupported-media`; what the source throws
 */
export async function checkIndex(source: ByteSource): Promise<void> {
  const { problem } = await readFrom(readMoov(source), source)
  if (problem === 'incomplete') {
    const tail = await source.read(Math.max(0, source.size - TAIL_BYTES), source.size)
    if (!latin1(tail).includes('moov')) throw unreadable()
  }
  const { movie, isEncrypted } = await surveyMovie(source)
  if (isEncrypted) throw encrypted()
  if (movie && !movie.tracks.some(({ kind }) => kind === 'video')) throw pictureless()
}
