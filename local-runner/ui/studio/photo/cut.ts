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

export function firstCut(frames: number): Cut {
  const end = Math.min(frames, USUAL_FRAMES)
  return { start: 0, end, cover: Math.floor(end / 2) }
}

/** Moves one of the handles; the others stay, except that the cover stays inside the range. */
export function move(cut: Cut, handle: Handle, to: number, frames: number): Cut {
  const at = Math.round(to)
  if (handle === 'cover') return { ...cut, cover: clamp(at, cut.start, cut.end - 1) }
  const [least, most] = boundsOf(cut, handle, frames)
  const moved = { ...cut, [handle]: clamp(at, least, most) }
  return { ...moved, cover: clamp(cut.cover, moved.start, moved.end - 1) }
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

/**
 * About how many bytes the photo has: the clip's share of the preview, and a still of about a third of a byte for each pixel.
 * @param previewBytes undefined where it is unknown; then the result is, too
 */
export function estimateBytes(
  cut: Cut,
  speed: number,
  preview: { readonly bytes: number | undefined; readonly frames: number; readonly pixels: number },
): number | undefined {
  if (preview.bytes === undefined) return undefined
  const seconds = lengthOf(cut, speed)
  return Math.round((preview.bytes / (preview.frames / FPS)) * seconds + preview.pixels / 3)
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), Math.max(least, most))
}

/** Bytes for people: `1.4 MB`. */
export function shownBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1000, 'kB'] : [bytes / 1_000_000, 'MB']
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`
}

/** A moment of a video: `0:03.4`. */
export function shownTime(seconds: number): string {
  const tenths = Math.round(seconds * 10)
  const minutes = Math.floor(tenths / 600)
  const rest = ((tenths % 600) / 10).toFixed(1).padStart(4, '0')
  return `${minutes}:${rest}`
}
