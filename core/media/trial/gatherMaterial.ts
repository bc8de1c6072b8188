import { ServiceError } from '#core/errors'
import { readMotionPhoto } from '#core/formats/motionPhoto/read'
import { FPS } from '../frames'
import type { PhotoOfFile } from '../oneShot/photoOfFile'
import { tracksOfClip, withoutSound, withSilence } from './clipVariants'
import type { OtherClip, TrialMaterial } from './makeVariant'
import { type ChangedClip, VARIANTS, type VariantId } from './variants'

/** What runs ffmpeg. */
export type MaterialSteps = {
  /** Makes a photo of the profile `universal`. Times in seconds of the video; undefined = the default. */
  makePhoto(end: number | undefined, cover: number | undefined): Promise<PhotoOfFile>
  /** @returns undefined when this ffmpeg has no encoder */
  encodeHevc(clip: Uint8Array): Promise<Uint8Array | undefined>
}

export type TrialRange = {
  /** Seconds of the video. */
  readonly start: number
  readonly cover: number | undefined
  readonly maxClipSeconds: number
}

const LONG_SECONDS = 10
/** A clip that is hardly longer proves nothing. */
const LONGER_BY_SECONDS = 0.5

/** Makes what the photos of a trial are made of: the baseline, and other clips, as far as the video and ffmpeg allow. */
export async function gatherMaterial(steps: MaterialSteps, range: TrialRange): Promise<TrialMaterial> {
  const baseline = await steps.makePhoto(undefined, range.cover)
  const material = materialOf(baseline)
  const { clip, presentationTimestampUs } = material.parts
  const hasSound = tracksOfClip(clip).audio !== undefined
  const longer = await makeLonger(steps, range, baseline)
  const hevc = await steps.encodeHevc(clip)
  const same = (other: Uint8Array): OtherClip => ({ clip: other, presentationTimestampUs })
  return {
    ...material,
    clips: {
      ...(hevc && { hevc: same(hevc) }),
      ...(hasSound ? { 'no-sound': same(withoutSound(clip)) } : { silence: same(withSilence(clip)) }),
      ...(longer && { longer }),
    },
  }
}

/** The same start and still, and a later end. */
async function makeLonger(
  { makePhoto }: MaterialSteps,
  { start, maxClipSeconds }: TrialRange,
  { plan, videoSeconds }: PhotoOfFile,
): Promise<OtherClip | undefined> {
  if (!Number.isFinite(videoSeconds)) return undefined
  const end = Math.min(start + Math.min(LONG_SECONDS, maxClipSeconds), videoSeconds)
  if (end - start < plan.clipFrames / FPS + LONGER_BY_SECONDS) return undefined
  const { parts } = materialOf(await makePhoto(end, plan.coverFrame / FPS))
  return { clip: parts.clip, presentationTimestampUs: parts.presentationTimestampUs }
}

const REASONS: Readonly<Record<ChangedClip, string>> = {
  hevc: 'This ffmpeg cannot encode HEVC.',
  'no-sound': 'The video has no sound.',
  silence: 'The video has sound of its own.',
  longer: 'The video is not longer, or does not say how long it is.',
}

/** Why a variant could not be made, for a person. */
export function reasonForNone(id: VariantId): string {
  const { change } = VARIANTS[id]
  return change.kind === 'clip' ? REASONS[change.clip] : 'Its parts are missing.'
}

/**
 * Takes a motion photo that was just made apart again.
 * @throws ServiceError `internal`
 */
function materialOf({ photo, origin, presentationTimestampUs }: PhotoOfFile): TrialMaterial {
  const read = readMotionPhoto(photo)
  const { exif, clip, primaryLength } = read ?? {}
  if (!exif?.thumbnail || !clip || primaryLength === undefined) {
    throw new ServiceError('internal', 'The motion photo could not be read back.')
  }
  return {
    parts: {
      cover: photo.subarray(0, primaryLength),
      orientation: exif.orientation,
      thumbnail: exif.thumbnail,
      clip: photo.subarray(clip.offset, clip.offset + clip.length),
      presentationTimestampUs,
      takenAt: origin.takenAt,
      place: origin.place,
      maker: origin.maker,
      model: origin.model,
      marks: origin.marks,
      software: exif.software ?? '',
    },
    namedAt: origin.namedAt,
    clips: {},
  }
}
