/** The part of a preview that becomes a motion photo. Everything is counted in frames of the preview, 30 a second. */

export const FPS = 30
/** The service takes no range below 0.1 s. */
const MIN_FRAMES = 3
/** The length of a new cut if the video is that long: the length that phones record. */
const USUAL_FRAMES = 3 * FPS

export type Cut = {
  /** First frame of the range. */
  readonly start: number
  /** The frame after the last one. */
  readonly end: number
  /** The frame of the still, inside the range. */
  readonly cover: number
}

export type Handle = keyof Cut
/** In the order of their places. */
export const HANDLES = ['start', 'cover', 'end'] as const

export function firstCut(frames: number): Cut {
  const end = Math.min(frames, USUAL_FRAMES)
  return { start: 0, end, cover: Math.floor(end / 2) }
}

/** What is taken of a video unless something else is chosen: its calmest seconds where it has such, else its middle. */
export function usualCut(frames: number, calmestSeconds?: number): Cut {
  const first = firstCut(frames)
  const middle = (frames - first.end) / 2
  return moveRange(first, calmestSeconds === undefined ? middle : calmestSeconds * FPS, frames)
}

/** Moves one of the handles; the others stay, except that the cover stays inside the range. */
export function move(cut: Cut, handle: Handle, to: number, frames: number): Cut {
  const at = Math.round(to)
  if (handle === 'cover') return { ...cut, cover: clamp(at, cut.start, cut.end - 1) }
  const [least, most] = boundsOf(cut, handle, frames)
  const moved = { ...cut, [handle]: clamp(at, least, most) }
  return { ...moved, cover: clamp(cut.cover, moved.start, moved.end - 1) }
}

/** Moves the range as a whole, with its cover. @param to its first frame */
export function moveRange(cut: Cut, to: number, frames: number): Cut {
  const by = clamp(Math.round(to), 0, frames - (cut.end - cut.start)) - cut.start
  return { start: cut.start + by, end: cut.end + by, cover: cut.cover + by }
}

/** A stretch of the video that a strip shows, in frames. */
export type View = { readonly from: number; readonly to: number }

/** Up to here one strip shows all of a video well enough to cut it to a frame. */
const SHORT_FRAMES = 20 * FPS
const AROUND_FRAMES = 3 * FPS

/** What is shown beside the whole of a long video: the range and three seconds around it. Undefined for a short one. */
export function viewAround({ start, end }: Cut, frames: number): View | undefined {
  if (frames <= SHORT_FRAMES) return undefined
  return { from: Math.max(0, start - AROUND_FRAMES), to: Math.min(frames, end + AROUND_FRAMES) }
}

/** How far a handle can go. */
export function boundsOf(cut: Cut, handle: Handle, frames: number): readonly [least: number, most: number] {
  if (handle === 'start') return [0, Math.max(0, cut.end - MIN_FRAMES)]
  if (handle === 'end') return [Math.min(frames, cut.start + MIN_FRAMES), frames]
  return [cut.start, cut.end - 1]
}

/** How far a key moves a handle, in frames; `least` and `most` for the ends; undefined for other keys. */
export function stepOf(key: string, isFast: boolean): number | 'least' | 'most' | undefined {
  const steps: Readonly<Record<string, number | 'least' | 'most'>> = {
    ArrowLeft: isFast ? -10 : -1,
    ArrowDown: isFast ? -10 : -1,
    ArrowRight: isFast ? 10 : 1,
    ArrowUp: isFast ? 10 : 1,
    PageDown: -FPS,
    PageUp: FPS,
    Home: 'least',
    End: 'most',
  }
  return steps[key]
}

/** Seconds that the clip lasts. */
export function lengthOf({ start, end }: Cut, speed: number): number {
  return (end - start) / FPS / speed
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), Math.max(least, most))
}

/** Bytes for people: `1.4 MB`. */
export function shownBytes(bytes: number): string {
  if (bytes < 1000) return `${Math.round(bytes)} B`
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1000, 'kB'] : [bytes / 1_000_000, 'MB']
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`
}

/**
 * A moment of a video: `0:03.4`.
 * @param digits of the fraction
 * @param isLong whether hours are shown, too: `0:29:58`
 */
export function shownTime(seconds: number, digits = 1, isLong = seconds >= 3600): string {
  const rounded = Number(seconds.toFixed(digits))
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const rest = (rounded % 60).toFixed(digits).padStart(digits === 0 ? 2 : 3 + digits, '0')
  const minutes = Math.floor(rounded / 60)
  return isLong ? `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${rest}` : `${minutes}:${rest}`
}

/** @returns the frame of a moment that a person has typed, such as `1:03.4` or `63.4`; undefined for other text */
export function frameOfTime(text: string): number | undefined {
  const [, hours = '0', minutes = '0', seconds] =
    /^(?:(?:(\d+)[:：])?(\d+)[:：])?(\d+(?:\.\d*)?)$/.exec(text.trim()) ?? []
  if (seconds === undefined) return undefined
  return Math.round((Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * FPS)
}
