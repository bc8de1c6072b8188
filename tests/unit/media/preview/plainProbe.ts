import type { Probe } from '#internal/media/preview/probe'
import { type PictureTraits, UNKNOWN_CAPTURE } from '#internal/media/traits'

/** A picture without anything that takes a way of its own. */
export const plain: PictureTraits = {
  matrix: 'bt601',
  primaries: 'bt709',
  hdrTransfer: undefined,
  hasAlpha: false,
  isInterlaced: false,
  decoder: undefined,
}

export const probe: Probe = {
  ...plain,
  shown: { width: 64, height: 48 },
  namedDecoder: undefined,
  stream: 0,
  seekSeconds: 0,
  pictureFrame: 0,
  streamId: undefined,
  isSeekable: true,
  mayJump: false,
  audio: undefined,
  startsAtZero: true,
  durationSeconds: 1,
  capture: UNKNOWN_CAPTURE,
}

/** A preview of a whole video of 64 × 48. */
export const order = {
  path: '/u',
  probe,
  size: { width: 64, height: 48 },
  firstFrame: 0,
  maxSeconds: 600,
  frames: undefined,
  strip: undefined,
  threads: 2,
}
