import type { ClipFacts } from './clipFacts'
import type { MotionPhoto } from './read'

/**
 * When, in the clip, the cover is shown: Google's presentation timestamp.
 *
 * It is the time of a picture of the clip, the nearest one, because players seek to exactly this time and some show nothing
 * when no picture is there.
 * @param coverSeconds the cover's time, from the clip's start; may lie outside the clip
 * @param times when each picture of the clip is shown, in seconds from its start; at least one
 * @returns whole microseconds from the clip's start
 * @example
 * presentationTimestampUs(0.04, [0, 1 / 30, 2 / 30]) // 33333
 */
export function presentationTimestampUs(coverSeconds: number, times: readonly number[]): number {
  const distance = (seconds: number) => Math.abs(seconds - coverSeconds)
  const nearest = times.reduce(
    (best, time) => (distance(time) < distance(best) - 1e-9 ? time : best),
    times[0] ?? 0,
  )
  return Math.round(nearest * 1_000_000)
}

/** Cameras take the still after the clip's last frame and name that moment: a Galaxy S22 Ultra 57 ms after its end. */
const STILL_AFTER_CLIP_US = 100_000

/** Whether a still can be of this moment of a clip, in microseconds; players show the last frame for one after its end. */
export function isStillTime(us: number, clipSeconds: number): boolean {
  return us >= 0 && us <= clipSeconds * 1e6 + STILL_AFTER_CLIP_US
}

/**
 * The moment of the clip that the still shows, as Google's tags say, in microseconds.
 * @example
 * const seconds = (googleTimeUs(photo) ?? 0) / 1e6
 */
export function googleTimeUs({ xmp }: Pick<MotionPhoto, 'xmp'>): number | undefined {
  return xmp?.presentationTimestampUs ?? xmp?.microVideoPresentationTimestampUs
}

/** The same as Huawei's tail says: by the number of a frame, so that the clip's index is needed. */
export function huaweiTimeUs(
  { huawei }: Pick<MotionPhoto, 'huawei'>,
  clip: Pick<ClipFacts, 'fps'> | undefined,
): number | undefined {
  const frame = huawei?.coverFrame
  return frame === undefined || !clip?.fps ? undefined : Math.round((frame / clip.fps) * 1e6)
}

/**
 * The moment of the clip that the still shows, according to the photo's own tags.
 * @param clip undefined when its index cannot be read
 * @returns microseconds from the clip's start; undefined when it is not given, or does not lie in the clip
 */
export function givenMomentUs(
  photo: Pick<MotionPhoto, 'xmp' | 'huawei'>,
  clip: Pick<ClipFacts, 'durationSeconds' | 'fps'> | undefined,
): number | undefined {
  const given = googleTimeUs(photo) ?? huaweiTimeUs(photo, clip)
  const clipSeconds = clip?.durationSeconds ?? Number.POSITIVE_INFINITY
  return given !== undefined && isStillTime(given, clipSeconds) ? given : undefined
}
