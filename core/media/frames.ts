/** Previews and clips run at 30 frames a second, so that time and frame number say the same. */
export const FPS = 30

/** The frame a player shows at `seconds`: the newest that has begun. The tolerance absorbs decimal rounding. */
export function frameAt(seconds: number): number {
  return Math.max(0, Math.floor(seconds * FPS + 1e-3))
}

/** Seconds with microseconds, as ffmpeg reads them. */
export function secondsText(seconds: number): string {
  return Math.max(0, seconds).toFixed(6)
}
