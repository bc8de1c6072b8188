/** Frames per second of previews and clips. The rate is constant, so a time and a frame number are interchangeable. */
export const FPS = 30

/** The frame a player shows at `seconds`: the latest one that has started. The tolerance absorbs decimal rounding. */
export function frameAt(seconds: number): number {
  return Math.max(0, Math.floor(seconds * FPS + 1e-3))
}

/** Seconds with microseconds, as ffmpeg reads them. */
export function secondsText(seconds: number): string {
  return Math.max(0, seconds).toFixed(6)
}

const SEEK_MARGIN_SECONDS = 0.002

/** @returns seconds: where to seek in the preview so that `frame` is the first picture */
export function seekToFrame(frame: number): number {
  return frame / FPS - SEEK_MARGIN_SECONDS
}
