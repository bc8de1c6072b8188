import { type chooseOrigin, UNKNOWN_CAPTURE } from '@lantern-room/media/browser'
import type { convertClip, preparePreview } from '@lantern-room/media/make'
import type { PictureEdit } from '@lantern-room/media/options'
import { rejectedRefusal } from '#support/values/failures'

export type Preview = Awaited<ReturnType<typeof preparePreview>>

/** The part of an upload that a preview shows, in seconds of the upload. */
export type Window = Parameters<typeof preparePreview>[2]['window']

/** The client of tests that are about something else. */
export const CLIENT = { id: 'test' }

const TAKEN_AT = { year: 2026, month: 1, day: 2, hour: 3, minute: 4, second: 5, offsetMinutes: 0 }
/** What is written of the recording where a test is about something else. */
export const ORIGIN: ReturnType<typeof chooseOrigin> = {
  takenAt: TAKEN_AT,
  dateFrom: 'video',
  namedAt: TAKEN_AT,
  name: 'IMG_20260102_030405',
  place: undefined,
  maker: undefined,
  model: undefined,
}

/** The whole upload. */
export const WHOLE: Window = { from: 0, to: undefined, mustFit: false }

export const UNEDITED: PictureEdit = { crop: undefined, rotate: 0 }

/** How a video of whole and plain pictures is read. */
export const PLAIN: Omit<Preview['original'], 'kind' | 'size'> = {
  firstFrame: 0,
  stream: 0,
  streamId: undefined,
  matrix: 'bt709',
  primaries: 'bt709',
  hdrTransfer: undefined,
  hasAlpha: false,
  isInterlaced: false,
  decoder: undefined,
  isSeekable: true,
  startsAtZero: true,
}

/** A finished preview of 90 frames. */
export const PREVIEW = {
  path: '/work/preview.mp4',
  frames: 90,
  width: 640,
  height: 360,
  hasAudio: true,
  sourceSeconds: 3,
  capture: UNKNOWN_CAPTURE,
  original: {
    ...PLAIN,
    kind: 'video',
    size: { width: 1920, height: 1080 },
  },
} satisfies Preview

/** The code of the ServiceError with which work fails. @throws anything else that it throws, or an Error when it succeeds */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  return (await rejectedRefusal(work)).code
}

type Range = {
  readonly start: number
  readonly end: number
  readonly cover: number
  readonly speed: number
  /** How often it is played. @default 1 */
  readonly repeat?: number
}

/** A clip of a preview in its frames. Times are seconds. */
export function framesOf(
  { start, end, cover, speed, repeat = 1 }: Range,
  previewFrames: number,
): Parameters<typeof convertClip>[2]['plan'] {
  const frameAt = (seconds: number) => Math.floor(seconds * 30 + 1e-3)
  const startFrame = Math.min(frameAt(start), previewFrames - 1)
  const sourceFrames = Math.min(Math.round((end - start) * 30), previewFrames - startFrame)
  return {
    startFrame,
    sourceFrames,
    clipFrames: Math.max(1, Math.round(((end - start) * repeat * 30) / speed)),
    speed,
    repeat,
    coverFrame: Math.min(Math.max(frameAt(cover), startFrame), startFrame + sourceFrames - 1),
  }
}
