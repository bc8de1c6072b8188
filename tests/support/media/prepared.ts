import { UNKNOWN_CAPTURE } from '@lantern-room/media/browser'
import type { PictureEdit } from '@lantern-room/media/options'
import type { PhotoOrigin } from '#internal/media/capture/chooseOrigin'
import type { Client } from '#internal/media/client'
import type { Window } from '#internal/media/preview/window'
import { type DatedPreview, UNREAD } from '#internal/media/traits'
import { rejectedRefusal } from '#support/values/failures'

/** The client of tests that are about something else. */
export const CLIENT: Client = { id: 'test' }

const TAKEN_AT = { year: 2026, month: 1, day: 2, hour: 3, minute: 4, second: 5, offsetMinutes: 0 }
/** What is written of the recording where a test is about something else. */
export const ORIGIN: PhotoOrigin = {
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

/** A finished preview of 90 frames. */
export const PREVIEW: DatedPreview = {
  path: '/work/preview.mp4',
  frames: 90,
  width: 640,
  height: 360,
  hasAudio: true,
  sourceSeconds: 3,
  capture: UNKNOWN_CAPTURE,
  original: {
    ...UNREAD,
    kind: 'video',
    size: { width: 1920, height: 1080 },
  },
}

/** The code of the ServiceError with which work fails. @throws anything else that it throws, or an Error when it succeeds */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  return (await rejectedRefusal(work)).code
}
