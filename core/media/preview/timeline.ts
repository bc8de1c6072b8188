import { delayAsShown } from '../ffmpeg/filters'
import { FPS } from '../frames'
import type { FrameWindow } from './window'

/** How long animated images last, in frames at 30 a second. */

/**
 * Reads ffmpeg's `framecrc` listing of an animated image's packets.
 * @returns frames at 30 a second: the sum of the packets' delays as they are shown; a single picture lasts at least a
 *   second
 */
export function timelineOf(listing: string, maxSeconds: number): number {
  const base = /^#tb 0: (\d+)\/(\d+)$/m.exec(listing)
  const tick = base ? Number(base[1]) / Number(base[2]) : 0
  const packets = [...listing.matchAll(/^0, *-?\d+, *(-?\d+), *(\d+),/gm)]
    .map((packet) => ({ begin: Number(packet[1]) * tick, delay: Number(packet[2]) * tick }))
    .sort((one, other) => one.begin - other.begin)
  const seconds = packets.reduce((sum, { begin, delay }, index) => {
    const next = packets[index + 1]
    return sum + delayAsShown(next ? next.begin - begin : delay)
  }, packets[0]?.begin ?? 0)
  return Math.min(framesFor(seconds, packets.length), Math.round(maxSeconds * FPS))
}

/**
 * @param delaysMs how long each picture is shown
 * @returns how often each picture is repeated at 30 frames a second (0: never shown), and the sum
 */
export function webpTimeline(delaysMs: readonly number[]): { frames: number; repeats: number[] } {
  const total = delaysMs.reduce((sum, delay) => sum + delay, 0)
  const frames = framesFor(total / 1000, delaysMs.length)
  let shown = 0
  let endMs = 0
  const repeats = delaysMs.map((delay, index) => {
    endMs += delay
    const isLast = index === delaysMs.length - 1
    const end = isLast ? frames : Math.round((endMs / 1000) * FPS)
    const count = end - shown
    shown = end
    return count
  })
  return { frames, repeats }
}

/**
 * The part of a timeline that a window shows.
 * @param repeats how often each picture is shown
 */
export function windowOfTimeline(
  repeats: readonly number[],
  { firstFrame, maxFrames }: FrameWindow,
): { frames: number; repeats: number[] } {
  const end = firstFrame + maxFrames
  let begin = 0
  const shown = repeats.map((count) => {
    const from = Math.max(begin, firstFrame)
    begin += count
    return Math.max(0, Math.min(begin, end) - from)
  })
  return { frames: shown.reduce((sum, count) => sum + count, 0), repeats: shown }
}

/** Repeats each picture as often as in the timeline. */
export async function* stillFrames(
  pictures: AsyncIterable<Uint8Array>,
  repeats: readonly number[],
): AsyncIterable<Uint8Array> {
  let index = 0
  for await (const picture of pictures) {
    for (let count = repeats[index] ?? 0; count > 0; count -= 1) yield picture
    index += 1
  }
}

function framesFor(seconds: number, pictures: number): number {
  const lasting = pictures <= 1 ? Math.max(1, seconds) : seconds
  return Math.max(1, Math.round(lasting * FPS))
}
