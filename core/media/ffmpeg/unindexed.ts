import type { PictureTraits } from '../traits'
import { untrustedInput } from './ffmpegInput'
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

/** Opens the sound beside the pictures: one packet, or `seconds` decoded, since ffmpeg bridges a jump of the clock by what it decoded. */
export function openedSound({ unindexed }: Reading, seconds?: number): string[] {
  if (unindexed?.sound === undefined) return []
  const part = seconds === undefined ? ['copy', '-frames:a', '1'] : ['pcm_s16le', '-t', String(seconds)]
  return ['-map', `0:a:${unindexed.sound}`, '-c:a', ...part, '-f', 'null', '-']
}

/** Arguments that list the packets of the pictures and of the sound (ffmpeg's `V` and `a`), with the times that the file gives them. */
export function clockArgs(path: string, stream: number, sound: number | undefined): string[] {
  const maps = ['-map', `0:V:${stream}`, ...(sound === undefined ? [] : ['-map', `0:a:${sound}`])]
  return [...untrustedInput(path, { fromKeyFrame: true }), ...maps, '-c', 'copy', '-f', 'framecrc', 'pipe:1']
}

/** ffmpeg closes gaps of more than 10 s. In a file with any gap that is nearly as long, seeking is not worth the risk. */
const LONGEST_GAP_SECONDS = 5

/**
 * Whether the clock of a file goes back or leaps ahead, as where recordings were joined: ffmpeg then lets the times go on, but
 * only if it reads the file from its beginning.
 * @param listing what ffmpeg lists for `clockArgs`; it writes a step back as no step
 */
export function hasJumps(listing: string): boolean {
  const ticks = [...listing.matchAll(/^#tb \d+: (\d+)\/(\d+)$/gm)].map(
    (tick) => Number(tick[1]) / Number(tick[2]),
  )
  const previous: number[] = []
  for (const [, output, dts] of listing.matchAll(/^(\d+), *(-?\d+),/gm)) {
    const index = Number(output)
    const time = Number(dts) * (ticks[index] ?? 0)
    const step = time - (previous[index] ?? Number.NEGATIVE_INFINITY)
    if (step <= 0 || (step > LONGEST_GAP_SECONDS && previous[index] !== undefined)) return true
    previous[index] = time
  }
  return false
}
