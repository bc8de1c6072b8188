import { isClockOfAac, plainAacEntry } from './aac'
import { isHeardWhole } from './edits'
import { total } from './sampleTable'
import type { Track } from './track'

/**
 * Whether a program that copies all packets of a track of AAC copies what is heard. It does not where an edit list leaves out a part,
 * packets share bytes of the file, or the clock is not the sample rate: then packets may last as long as they like.
 * @param sourceBytes size of the file
 * @example
 * const isPlain = isHeardAsStored(audio, source.size)
 */
export function isHeardAsStored(
  { edits, samples, timescale, sampleEntry }: Track,
  sourceBytes: number,
): boolean {
  return (
    isHeardWhole(edits, samples, timescale) &&
    isClockOfAac(plainAacEntry(sampleEntry), timescale) &&
    total(samples.sizes) <= sourceBytes
  )
}
