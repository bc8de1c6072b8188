import { FPS } from '../frames'

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
