import { bothOrNone } from '#core/async/allOrNone'
import type { Clock } from '#core/async/clock'
import { withDeadline } from '#core/async/deadline'
import { ServiceError, tooSlow } from '#core/errors'
import { unixTimeOf } from '#core/formats/exif/wallClock'
import { presentationTimestampUs } from '#core/formats/motionPhoto/presentation'
import { stampTimes } from '#core/formats/mp4/patchMovie'
import type { ByteSource } from '#core/formats/source/byteSource'
import type { PhotoOrigin } from '../capture/chooseOrigin'
import { type Clip, type CopyTask, makeClip } from '../clip/makeClip'
import type { MediaLimits } from '../config'
import { type OwnCoverTask, type OwnPicture, takeOwnCover } from '../cover/ownCover'
import { type Cover, type CoverTask, takeCover } from '../cover/takeCover'
import { type GainMapResult, takeGainMap } from '../cover/takeGainMap'
import { FPS } from '../frames'
import { checkCrop, type PictureEdit, UNEDITED } from '../pictureEdit'
import type { Ffmpeg, WebpDecoder, WorkFolder } from '../ports'
import type { OriginalTraits } from '../traits'
import type { ClipPlan } from './clip'
import { type OutputFile, type OutputProfile, outputFiles } from './outputFiles'

export type ConvertDependencies = {
  readonly ffmpeg: Ffmpeg
  readonly webp: WebpDecoder
  readonly clock: Pick<Clock, 'after'>
  readonly limits: Pick<MediaLimits, 'maxInputSeconds' | 'convertTimeoutSeconds'>
  /** Of this program; written into the photo as a part of the software that made it. */
  readonly version: string
}

export type ConvertMaterials = {
  readonly preview: Material & { readonly hasAudio: boolean }
  readonly original: Material & { readonly traits: OriginalTraits }
  /** Finds or takes the cover, which may be shared with others. By default it is taken anew. */
  readonly cover?: (coverFrame: number, signal: AbortSignal) => Promise<Cover>
}

/** A file of a session: its bytes in parts, and a path for programs that must seek in it. */
export type Material = { readonly bytes: ByteSource; path(): Promise<string> }

/**
 * What the clip's pictures are: the preview's (`preview`), the original's own where they can be copied (`source`), or those only
 * if they are AVC, which every gallery plays (`auto`).
 */
export type ClipQuality = 'preview' | 'source' | 'auto'

export type ConvertedClip = {
  /** One JPEG, or what is to be sent as a ZIP. */
  readonly files: readonly OutputFile[]
  /** The first of them: the JPEG with the cover. */
  readonly photo: Uint8Array
  /** Which moment of the clip the cover shows. */
  readonly presentationTimestampUs: number
  readonly clipQuality: Clip['quality']
  /** Why the clip has the preview's quality although the source's was asked for. */
  readonly sourceProblem: Clip['problem']
  /** Undefined unless a gain map was asked for: why there is none, or that there is one. */
  readonly ultraHdr: NonNullable<GainMapResult['problem']> | 'gain-map' | undefined
}

export type ClipSettings = {
  readonly plan: ClipPlan
  readonly profile: OutputProfile
  readonly mute: boolean
  readonly quality: ClipQuality
  /** Whether the cover gets a gain map (Ultra HDR) if the original is of high dynamic range. Default: no. */
  readonly hdr?: boolean
  readonly origin: PhotoOrigin
  /** Default: none. */
  readonly edit?: PictureEdit
  /** A picture that is the cover instead of one of the video. */
  readonly picture?: OwnPicture | undefined
}

export type ConvertTask = { readonly folder: WorkFolder; readonly signal: AbortSignal }

/**
 * Cuts a clip out of a preview, takes its cover from the original, and joins them to a motion photo.
 * @throws ServiceError `timeout`, `internal`, `unavailable`; `out-of-range` for a crop that is outside of the picture; as
 *   `takeOwnCover`
 */
export async function convertClip(
  dependencies: ConvertDependencies,
  materials: ConvertMaterials,
  settings: ClipSettings,
  task: ConvertTask,
): Promise<ConvertedClip> {
  checkCrop(settings.edit?.crop, materials.original.traits.size)
  const timeoutMs = dependencies.limits.convertTimeoutSeconds * 1000
  return withDeadline(dependencies.clock, timeoutMs, task.signal, tooSlow, async (signal) => {
    const conversion = { ...dependencies, ...materials, ...settings, folder: task.folder, timeoutMs }
    const { preview, original, cover, mute, plan, picture, edit = UNEDITED, ...common } = conversion
    const hasSound = preview.hasAudio && !mute
    const [clip, stills] = await bothOrNone(
      signal,
      (both) => {
        const source = sourceTask(materials.original, settings.quality)
        const pictures = { preview: preview.bytes, source, edit, sourceSize: original.traits.size }
        return makeClip({ ...common, ...pictures, plan, hasSound, signal: both })
      },
      async (both) => {
        const coverTask = { ...task, timeoutMs, signal: both, edit, source: original.traits.size }
        const own = picture && (await ownCover(dependencies, picture, coverTask))
        if (own) return own
        if (cover) return cover(plan.coverFrame, both)
        return takeCover(dependencies, materials, plan.coverFrame, coverTask)
      },
    )
    const timestampUs = presentationTimestampUs(
      (plan.coverFrame - plan.startFrame) / (FPS * plan.speed),
      clip.times,
    )
    const hdrTask = { ...task, timeoutMs, signal }
    const { gainMap, problem } = await gainMapOf(dependencies, materials, settings, stills, hdrTask)
    const files = writeFiles({ ...dependencies, ...settings, gainMap }, clip, stills, timestampUs)
    return {
      files,
      photo: files[0]?.bytes ?? new Uint8Array(),
      presentationTimestampUs: timestampUs,
      clipQuality: clip.quality,
      sourceProblem: clip.problem,
      ultraHdr: gainMap ? 'gain-map' : problem,
    }
  })
}

/** @returns undefined when it may be left out, and cannot be decoded */
function ownCover(
  dependencies: ConvertDependencies,
  picture: OwnPicture,
  task: OwnCoverTask,
): Promise<Cover | undefined> {
  return takeOwnCover(dependencies, picture, task).catch((error: unknown) => {
    const isSkipped = picture.isOptional && error instanceof ServiceError && error.code === 'unprocessable'
    if (!isSkipped) throw error
    return undefined
  })
}

/** @returns neither of them when none is wanted */
async function gainMapOf(
  { ffmpeg }: ConvertDependencies,
  { original }: ConvertMaterials,
  { hdr = false, profile, plan, picture, edit = UNEDITED }: ClipSettings,
  { cover }: Cover,
  task: CoverTask,
): Promise<Partial<GainMapResult>> {
  if (!hdr) return {}
  if (profile === 'apple') return { problem: 'profile' }
  if (picture) return { problem: 'edited' }
  return takeGainMap({ ffmpeg, original, ...task, edit }, plan.coverFrame, cover)
}

function sourceTask(
  { bytes, traits }: ConvertMaterials['original'],
  quality: ClipQuality,
): CopyTask | undefined {
  if (quality === 'preview') return undefined
  const { stream, firstFrame } = traits
  return { bytes, stream, firstFrame, mayBeHevc: quality === 'source' }
}

function writeFiles(
  {
    profile,
    origin,
    version,
    gainMap,
  }: ClipSettings & Pick<ConvertDependencies, 'version'> & Pick<GainMapResult, 'gainMap'>,
  clip: Clip,
  { cover, thumbnail, orientation }: Cover,
  timestampUs: number,
): OutputFile[] {
  const { takenAt, namedAt, place, maker, model, marks } = origin
  if (takenAt) stampTimes(clip.mp4, unixTimeOf(takenAt))
  return outputFiles(profile, {
    cover,
    thumbnail,
    orientation,
    gainMap,
    clip: clip.mp4,
    takenAt,
    namedAt,
    place,
    maker,
    model,
    marks,
    software: `Lantern Room ${version}`,
    presentationTimestampUs: timestampUs,
  })
}
