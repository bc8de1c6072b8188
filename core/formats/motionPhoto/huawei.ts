import { asciiBytes, concatBytes, latin1 } from '@lantern-room/base/bytes'
import { type Reading, type Sized, take } from '@lantern-room/mp4/source'

/** What Huawei and Honor phones write at the end of a file. */
export type HuaweiTail = {
  /** The frame of the clip that the still shows, from 0. */
  readonly coverFrame: number | undefined
  /** Where the clip begins, by the length in the tail. */
  readonly clipOffset: number
}

const FIELD_SIZE = 20

/** Three fields of 20 bytes: version and frame, play information, length. */
export const HUAWEI_TAIL_SIZE = 3 * FIELD_SIZE

/**
 * The tail of a Huawei motion photo, to be written right after the clip: ASCII fields, padded with spaces.
 * @param clipLength bytes of the clip
 * @param coverFrame frame of the clip that the still shows, from 0
 * @see OpenHarmony, `moving_photo_file_utils.cpp`; docs/motion-photo.md, "Huawei"
 */
export function encodeHuaweiTail(clipLength: number, coverFrame: number): Uint8Array {
  // The length counts the clip and the first field.
  const fields = [`v3_f${coverFrame}`, '0:0', `LIVE_${clipLength + FIELD_SIZE}`]
  return concatBytes(fields.map((field) => asciiBytes(field.padEnd(FIELD_SIZE))))
}

/** The frame of a clip that is shown at this time, by the clip's average rate, by which readers find it. */
export function coverFrameOf(
  timestampUs: number,
  { frames, durationSeconds }: { readonly frames: number; readonly durationSeconds: number },
): number {
  if (durationSeconds <= 0) return 0
  return Math.max(0, Math.min(frames - 1, Math.round((timestampUs / 1e6) * (frames / durationSeconds))))
}

/** @returns undefined when the file does not end with a tail */
export function* readHuaweiTail(file: Sized): Reading<HuaweiTail | undefined> {
  const tail = latin1(yield* take(file, file.size - HUAWEI_TAIL_SIZE, file.size))
  const length = /^LIVE_(\d{1,12}) *$/.exec(tail.slice(2 * FIELD_SIZE))?.[1]
  if (length === undefined) return undefined
  const frame = /^v\d+_f(\d{1,6})[_ ]/.exec(tail)?.[1]
  return {
    coverFrame: frame === undefined ? undefined : Number(frame),
    clipOffset: file.size - 2 * FIELD_SIZE - Number(length),
  }
}
