import { ServiceError, tooSlow } from '@lantern-room/base'
import { bothOrNone, withDeadline } from '@lantern-room/base/async'
import { presentationTimestampUs } from '@lantern-room/formats'
import type { MetadataLoss } from '@lantern-room/formats/make'
import { unixTimeOf } from '@lantern-room/formats/time'
import { wallpaperOf } from '@lantern-room/formats/video'
import { stampTimes } from '@lantern-room/mp4'
import type { OriginWish, PhotoOrigin } from '#media/capture/chooseOrigin'
import type { MediaParts } from '#media/parts'
import { afterTurn, checkCrop, type PictureEdit, type Rotation, turned } from '#media/pictureEdit'
import type { WorkFolder } from '#media/ports'
import type { Material } from '#media/sessions/sessionFiles'
import { type Clip, type ClipTask, makeClip } from '../clip/makeClip'
import { fitCover } from '../cover/fitCover'
import { isKept, type OwnPicture, takeOwnCover } from '../cover/ownCover'
import {
  type Cover,
  type CoverMaterials,
  type CoverTask,
  type OwnCoverTask,
  takeCover,
} from '../cover/takeCover'
import { type GainMapResult, takeGainMap } from '../cover/takeGainMap'
import { turnOfClip } from '../cover/turnOfClip'
import { type ClipPlan, coverSeconds } from './clip'
import { checkKept, type OutputFile, type OutputProfile, outputFiles, type WrittenFiles } from './outputFiles'

export type ConvertDependencies = Pick<MediaParts, 'ffmpeg' | 'webp' | 'clock' | 'limits' | 'version'>

export type ConvertMaterials = Pick<CoverMaterials, 'original'> & {
  readonly preview: Material & Pick<ClipTask, 'isSoundOnly'> & { readonly hasAudio: boolean }
  /** Finds or takes the cover, which may be shared with others. @default it is taken anew */
  readonly cover?: (coverFrame: number, signal: AbortSignal) => Promise<Cover>
}

export type ClipQuality = ClipTask['quality']

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
  readonly sourceRate?: Clip['sourceRate']
  /** By how many degrees clockwise the clip is turned because the photo's own picture is, before the edit. */
  readonly clipTurn: Rotation
  /** What could not be kept of what a photo says of itself, where that was wanted. */
  readonly metadataLost: readonly MetadataLoss[]
  /** Undefined unless a gain map was asked for: why there is none, or that there is one. */
  readonly ultraHdr: NonNullable<GainMapResult['problem']> | 'gain-map' | undefined
}

export type ClipSettings = {
  readonly plan: ClipPlan
  readonly profile: OutputProfile
  readonly mute: boolean
  readonly quality: ClipQuality
  /** Whether the cover gets a gain map (Ultra HDR) if the original is of high dynamic range. */
  readonly hdr: boolean
  /** Whether the Live Photo moves on a lock screen. */
  readonly wallpaper: boolean
  readonly origin: PhotoOrigin
  readonly edit: PictureEdit
  /** A picture that is the cover. @default one of the video */
  readonly picture?: OwnPicture | undefined
}

/** What a client asks of a photo, apart from its range. */
export type PhotoWish = Omit<ClipSettings, 'plan' | 'origin' | 'picture'> & {
  readonly origin: OriginWish
  /** `source`: the source's own picture; `auto`: that where there is one and no time is given. */
  readonly coverFrom: 'time' | 'source' | 'auto'
  /** Instead of both. */
  readonly coverFile: Uint8Array | undefined
}

export type ConvertTask = { readonly folder: WorkFolder; readonly signal: AbortSignal }

/**
 * Cuts a clip out of a preview, takes its cover from the original, and joins them to a motion photo.
 * @throws as `makeClip`; ServiceError `timeout`, `internal`, `unavailable`; `out-of-range` for a crop that is outside of the picture; as
 *   `takeOwnCover`
 * @example const { photo } = await convertClip(dependencies, materials, settings, { folder, signal })
 */
export async function convertClip(
  dependencies: ConvertDependencies,
  materials: ConvertMaterials,
  settings: ClipSettings,
  task: ConvertTask,
): Promise<ConvertedClip> {
  const { folder } = task
  const { original } = materials
  const { plan, wallpaper, edit } = settings
  const timeoutMs = dependencies.limits.convertTimeoutSeconds * 1000
  return withDeadline(dependencies.clock, timeoutMs, task.signal, tooSlow, async (signal) => {
    const coverTask = { folder, timeoutMs, signal, edit }
    const clipTurn = await turnOf(dependencies, original, settings, coverTask)
    const { size } = original.traits
    const source = clipTurn % 180 === 0 ? size : turned(size)
    checkCrop(edit.crop, source)
    const clipEdit = afterTurn(edit, clipTurn, size)
    const [clip, taken] = await bothOrNone(
      signal,
      (both) =>
        cutClip(dependencies, materials, settings, { folder, timeoutMs, signal: both, edit: clipEdit }),
      (both) =>
        takeStills(dependencies, materials, settings, { folder, timeoutMs, signal: both, edit, source }),
    )
    const timestampUs = presentationTimestampUs(coverSeconds(plan, clip), clip.times)
    const stills = wallpaper ? await fitCover(dependencies.ffmpeg, taken, clip.mp4, coverTask) : taken
    const { gainMap, problem } = await gainMapOf(dependencies, original, settings, stills, coverTask)
    const photo = { ...stills, gainMap: gainMap ?? stills.gainMap }
    const { files, lost } = writeFiles(settings, dependencies.version, clip, photo, timestampUs)
    return {
      files,
      photo: files[0]?.bytes ?? new Uint8Array(),
      presentationTimestampUs: timestampUs,
      clipQuality: clip.quality,
      sourceProblem: clip.problem,
      sourceRate: clip.sourceRate,
      clipTurn,
      metadataLost: lossesOf(settings, taken, [...(stills.lost ?? []), ...lost]),
      ultraHdr: gainMap ? 'gain-map' : problem,
    }
  })
}

/** @returns 0 for a picture that is not the photo's own */
async function turnOf(
  { ffmpeg }: ConvertDependencies,
  original: ConvertMaterials['original'],
  { picture, plan }: ClipSettings,
  { timeoutMs, signal }: CoverTask,
): Promise<Rotation> {
  if (!picture?.isOfPhoto) return 0
  const frame = original.traits.firstFrame + plan.coverFrame
  return turnOfClip({ ffmpeg, original, timeoutMs, signal }, picture.bytes, frame)
}

function cutClip(
  { ffmpeg }: ConvertDependencies,
  { preview, original }: ConvertMaterials,
  { plan, quality, mute }: ClipSettings,
  { folder, timeoutMs, signal, edit }: CoverTask,
): Promise<Clip> {
  return makeClip({
    folder,
    timeoutMs,
    signal,
    edit,
    ffmpeg,
    preview: preview.bytes,
    isSoundOnly: preview.isSoundOnly,
    plan,
    hasSound: preview.hasAudio && !mute,
    quality,
    original,
  })
}

async function takeStills(
  dependencies: ConvertDependencies,
  materials: ConvertMaterials,
  { plan, picture, profile, origin }: ClipSettings,
  task: OwnCoverTask,
): Promise<Cover> {
  if (picture && isKept(picture)) checkKept(profile, task.edit, origin)
  const own = picture && (await ownCover(dependencies, picture, task))
  if (own) return own
  if (materials.cover) return materials.cover(plan.coverFrame, task.signal)
  return takeCover(dependencies, materials, plan.coverFrame, task)
}

/** @returns undefined when it may be left out, and cannot be decoded */
function ownCover(
  { ffmpeg }: ConvertDependencies,
  picture: OwnPicture,
  task: OwnCoverTask,
): Promise<Cover | undefined> {
  return takeOwnCover({ ffmpeg }, picture, task).catch((error: unknown) => {
    const isSkipped = picture.isOptional && error instanceof ServiceError && error.code === 'unprocessable'
    if (!isSkipped) throw error
    return undefined
  })
}

/** @returns neither of them when none is wanted */
async function gainMapOf(
  { ffmpeg }: ConvertDependencies,
  original: ConvertMaterials['original'],
  { hdr, profile, plan, picture }: ClipSettings,
  { cover }: Cover,
  { folder, timeoutMs, signal, edit }: CoverTask,
): Promise<Partial<GainMapResult>> {
  if (!hdr) return {}
  if (profile === 'apple') return { problem: 'profile' }
  if (picture) return { problem: 'edited' }
  return takeGainMap({ ffmpeg, original, folder, timeoutMs, signal, edit }, plan.coverFrame, cover)
}

/**
 * Each once. All of it, where a picture of the video is in place of the photo's own, which cannot be decoded. A gain map is more than
 * words about the picture, and is named whatever is wanted of those; a Live Photo's JPEG has none.
 */
function lossesOf(
  { origin, picture, profile }: ClipSettings,
  { hasOwnMetadata, gainMap }: Cover,
  lost: readonly MetadataLoss[],
): MetadataLoss[] {
  const isMapLost = lost.includes('gain-map') || (gainMap !== undefined && isLive(profile))
  const map: readonly MetadataLoss[] = isMapLost ? ['gain-map'] : []
  if (!origin.keepsMetadata || !picture?.hasTags) return [...map]
  return hasOwnMetadata ? [...new Set([...lost, ...map])] : ['header']
}

function isLive(profile: OutputProfile): boolean {
  return profile === 'apple' || profile === 'all'
}

function writeFiles(
  { profile, origin, wallpaper }: ClipSettings,
  version: string,
  clip: Clip,
  stills: Cover,
  timestampUs: number,
): WrittenFiles {
  if (origin.takenAt) stampTimes(clip.mp4, unixTimeOf(origin.takenAt))
  return outputFiles(profile, {
    ...stills,
    ...origin,
    keepsMetadata: origin.keepsMetadata && stills.hasOwnMetadata,
    own: {
      isDateGiven: origin.isDateGiven ?? false,
      isZoneTold: origin.zoneFrom !== 'machine' && origin.zoneFrom !== 'utc',
      pixels: stills.pixels,
    },
    clip: clip.mp4,
    software: `Lantern Room ${version}`,
    presentationTimestampUs: timestampUs,
    wallpaper: wallpaper ? wallpaperOf(timestampUs, clip.times) : undefined,
  })
}
