import type { Settings } from './settings'

const MEBIBYTE = 1024 * 1024

/** Largest bytes per second of a preview: 14 Mbit/s for the picture, plus sound. */
const PREVIEW_BYTES = 14_400_000 / 8

/** MiB of files that the store keeps for the next request. */
const KEPT = 256

/** Lambda's minimum and maximum, in MiB. */
const LEAST = 512
const MOST = 10_240

/**
 * MiB of `/tmp` that functions need for the largest files that the limits allow.
 * @throws Error when the configured limits need more than Lambda offers
 */
export function storageOf({ maxUploadBytes, maxInputSeconds, maxClipSeconds }: Settings) {
  const original = maxUploadBytes / MEBIBYTE
  const preview = (maxInputSeconds * PREVIEW_BYTES) / MEBIBYTE
  const clip = (maxClipSeconds * PREVIEW_BYTES) / MEBIBYTE
  return {
    // Twice, because sound that outlasts the picture is cut into a second file.
    prepare: fit(original + 2 * preview),
    // The cover at full size, and the photo's parts.
    convert: fit(original + preview + 2 * clip + 100),
    // The preview of the range, the cover at full size, and the photo's parts.
    motionPhoto: fit(original + 2 * preview + 2 * clip + 100),
    thumbnail: fit(preview),
    // What comes in a form; an upload is read from the bucket. Animations need the clip as a file of at most 128 MiB.
    photo: fit(original + 128),
  }
}

function fit(mebibytes: number): number {
  const size = Math.ceil(Math.max(LEAST, mebibytes + KEPT) / 64) * 64
  if (size <= MOST) return size
  throw new Error(
    `MAX_UPLOAD_BYTES and MAX_INPUT_SECONDS ask for ${size} MiB of temporary storage; Lambda has ${MOST}. Lower them.`,
  )
}
