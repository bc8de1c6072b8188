import { version } from '#core/build'
import { cutClip } from '#core/formats/clip/cutClip'
import { MAX_THUMBNAIL_BYTES } from '#core/formats/exif/exif'
import { unixTimeOf } from '#core/formats/exif/wallClock'
import { assembleMotionPhoto } from '#core/formats/motionPhoto/assemble'
import { inspect } from '#core/formats/motionPhoto/inspect'
import { presentationTimestampUs } from '#core/formats/motionPhoto/presentation'
import { stampTimes } from '#core/formats/mp4/patchMovie'
import { motionPhotoProfileNamed } from '#core/formats/profiles/profile'
import { blobSource } from '#core/formats/source/byteSource'
import { readNow } from '#core/formats/source/reading'
import { chooseOrigin } from '#core/media/capture/chooseOrigin'
import { captureOf } from '#core/media/capture/readCapture'
import { FPS } from './cut'
import { type LocalVideo, takeStill } from './localVideo'
import { type Choice, type Photo, shownPhoto } from './makePhoto'
import type { PhotoOptions } from './options'

/** Longest side of the thumbnail, as the service makes it. */
const THUMBNAIL_SIDE = 320

/** The choice for which a photo cannot be made here, by the name of its text. */
export type ServiceChoice =
  | 'speed'
  | 'phones'
  | 'crop'
  | 'rotate'
  | 'repeat'
  | 'hdr'
  | 'still'
  | 'donor'
  | 'metadata'

/** @returns undefined when the browser can do all that is chosen */
export function needsService(choice: PhotoOptions, hasSound: boolean): ServiceChoice | undefined {
  const { speed, keepsSound, profile, crop, rotate, repeat, hdr, cover, donor, metadata } = choice
  if (speed !== 1 && hasSound && keepsSound) return 'speed'
  if (!motionPhotoProfileNamed(profile)) return 'phones'
  if (crop !== '') return 'crop'
  if (rotate !== '0') return 'rotate'
  if (repeat > 1) return 'repeat'
  if (hdr) return 'hdr'
  if (cover !== 'time') return 'still'
  if (donor) return 'donor'
  return metadata === 'all' ? 'metadata' : undefined
}

/**
 * Makes a motion photo without the service: the clip is copied out of the file, the still is what the browser shows.
 * @returns undefined where the pictures or the sound of the range cannot be copied
 */
export async function makeLocalPhoto(local: LocalVideo, choice: Choice): Promise<Photo | undefined> {
  const { cut, speed, keepsSound, metadata } = choice
  const profile = motionPhotoProfileNamed(choice.profile)
  const start = cut.start / FPS
  const range = { stream: 0, start, end: cut.end / FPS, speed, mute: !keepsSound }
  const clip = await cutClip(blobSource(local.file), range)
  if (!clip.mp4 || clip.lacksSound || !profile) return undefined
  const timestampUs = presentationTimestampUs((cut.cover - cut.start) / FPS / speed, clip.times)
  const shown = clip.times.findIndex((time) => Math.abs(time * 1e6 - timestampUs) <= 1)
  const next = clip.times[shown + 1] ?? (cut.end - cut.start) / FPS / speed
  const middle = start + ((timestampUs / 1e6 + next) / 2) * speed
  const stills = await takeStill(local, middle, THUMBNAIL_SIDE, MAX_THUMBNAIL_BYTES)
  const origin = originOf(local, cut, metadata)
  if (origin.takenAt) stampTimes(clip.mp4, unixTimeOf(origin.takenAt))
  const bytes = assembleMotionPhoto({
    ...stills,
    ...origin,
    profile,
    clip: clip.mp4,
    presentationTimestampUs: timestampUs,
    software: `Lantern Room ${version}`,
  })
  const { photo, clip: facts, galleries } = readNow(inspect({ size: bytes.length }), bytes)
  const place = photo.clip && {
    offset: photo.clip.offset,
    bytes: photo.clip.length,
    duration: facts?.durationSeconds ?? null,
  }
  const file = new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'image/jpeg' })
  const inspection = { clip: place ?? null, galleries }
  return shownPhoto({ name: `${origin.name}_MP.jpg`, file, shown: file, inspection, isSource: true })
}

/** When it was taken and what it is called, as the service says it. */
function originOf(
  { file, time }: LocalVideo,
  { start, end, cover }: Choice['cut'],
  metadata: Choice['metadata'],
) {
  const told = { time, place: undefined, maker: undefined, model: undefined }
  const capture = captureOf(told, { photoTime: undefined }, file.name)
  const plan = { startFrame: start, sourceFrames: end - start, coverFrame: cover }
  return chooseOrigin({ metadata, capturedAt: undefined, timeZone: undefined }, capture, {
    cover: { plan, firstFrame: 0, isOwn: false, stillSeconds: undefined },
    now: Date.now(),
    fileTime: file.lastModified,
  })
}
