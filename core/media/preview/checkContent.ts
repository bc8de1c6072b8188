import type { ServiceError } from '@lantern-room/base'
import { type ContainerProblem, containerProblem } from '@lantern-room/formats/video'
import type { ByteSource } from '@lantern-room/mp4/source'
import { refusals } from '#media/formatRefusal'
import { encrypted, pictureless, unreadable } from './explainRefusal'
import { sniff, stillImage } from './sniff'

const HEAD_BYTES = 4096

const REFUSALS: Readonly<Record<ContainerProblem, () => ServiceError>> = {
  still: stillImage,
  unreadable,
  encrypted,
  pictureless,
}

/**
 * Refuses a video or an animation as it would be once it is decoded, for what its container says: one that is cut before its index or its
 * first picture, has no pictures, or is encrypted. What is not certain without decoding is let through.
 * @throws ServiceError `invalid-request`, `unsupported-media`; what the source throws
 * @example await checkContent(source)
 */
export async function checkContent(source: ByteSource): Promise<void> {
  const head = await source.read(0, Math.min(HEAD_BYTES, source.size))
  const problem = await refusals(containerProblem(source, sniff(head) === 'animated-image'))
  if (problem) throw REFUSALS[problem]()
}
