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

/**
 * Seconds before a wanted picture to which ffmpeg seeks in a video, in the order in which they are tried. Some containers
 * have no index of key frames: ffmpeg then lands between key frames, and the first picture that it decodes is too late.
 */
const LEADS = [0, 10, Number.POSITIVE_INFINITY]

/**
 * Where to start reading a video in order to see `frame`, which is counted from its beginning at 30 a second.
 * @returns seconds, best first; the last is 0
 */
export function seekTries(frame: number): readonly number[] {
  return [...new Set(LEADS.map((lead) => Math.max(0, frame / FPS - lead)))]
}

/** Whether the first decoded picture starts after the time of `frame`, according to ffmpeg's log. */
export function isTooLate(stderr: string, frame: number): boolean {
  const time = /^\[Parsed_showinfo_.*\] n: *0 pts: *-?\d+ pts_time: *(\S+)/m.exec(stderr)?.[1]
  return time !== undefined && Math.round(Number(time) * FPS) > frame
}
