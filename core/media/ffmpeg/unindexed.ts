import type { PictureTraits } from '../traits'
import { CONSTANT_RATE } from './filters'

/** How files without an index of their key frames are read, so that all readings of a file show the same pictures at the same times. */

type Reading = Pick<PictureTraits, 'unindexed'>

/** `CONSTANT_RATE` of an upload. */
export function constantRateOf({ unindexed }: Reading): string {
  return unindexed?.roundsDown ? `${CONSTANT_RATE}:round=down` : CONSTANT_RATE
}

/** Some streams refresh their pictures bit by bit and have no key frame after their beginning. */
const MAX_GREY_PICTURES = 300

/** A filter that leaves out the pictures before the first key frame where they would be grey. */
export function fromKeyFrame({ unindexed }: Reading): string | undefined {
  return unindexed?.startsGrey
    ? `select='st(0,ld(0)+key+gte(n,${MAX_GREY_PICTURES}));gt(ld(0),0)'`
    : undefined
}

/** An output of one packet, by which the sound of the first input is opened beside its pictures. */
export function openedSound({ unindexed }: Reading): string[] {
  if (unindexed?.sound === undefined) return []
  return ['-map', `0:a:${unindexed.sound}`, '-c:a', 'copy', '-frames:a', '1', '-f', 'null', '-']
}
