import { ServiceError, type Wording } from '@lantern-room/base'
import { joinParts } from '@lantern-room/mp4/source'
import { type Circumstances, chooseOrigin, type PhotoOrigin } from '#media/capture/chooseOrigin'
import { captureOf } from '#media/capture/readCapture'
import type { MediaLimits } from '#media/config'
import { FPS } from '#media/frames'
import type { MediaParts } from '#media/parts'
import type { PrepareTask } from '#media/preview/previewOutput'
import { type Video, type VideoUpload, videoOf } from '#media/preview/videoOf'
import { windowFrames } from '#media/preview/window'
import type { Material } from '#media/sessions/sessionFiles'
import { lossesIn, type Preview } from '#media/traits'
import { PicturesNeeded } from '../clip/makeClip'
import type { OwnPicture } from '../cover/ownCover'
import { type ClipPlan, checkRepeat } from './clip'
import type { ClipSettings, ConvertedClip, ConvertMaterials, ConvertTask, PhotoWish } from './convertClip'
import { indexedPreview, isCopied } from './indexedPreview'
import { neededWindow, type PhotoRange, planPhoto, totalFrames } from './photoRange'

/** The two steps, with their dependencies bound. */
export type PhotoTools = {
  readonly openFile: MediaParts['openFile']
  preparePreview(source: Video, task: PrepareTask): Promise<Preview>
  convertClip(materials: ConvertMaterials, settings: ClipSettings, task: ConvertTask): Promise<ConvertedClip>
}

export type PhotoRequest = PhotoRange &
  PhotoWish & {
    /** `keep`: the photo's own picture stays a HEIC if it is one. */
    readonly format: (typeof PICTURE_FORMATS)[number]
  }

export const PICTURE_FORMATS = ['jpeg', 'keep'] as const

export type PhotoOfFile = ConvertedClip & {
  readonly origin: PhotoOrigin
  /** In frames of the whole file. */
  readonly plan: ClipPlan
  /** Length of the whole file in seconds; infinite when it goes on after the range without saying for how long. */
  readonly videoSeconds: number
  /** Whether the clip is silent because the sound of the video cannot be decoded here. */
  readonly isSoundLost: boolean
}

/**
 * Makes a motion photo of a part of a file. Only that part is decoded and encoded.
 * @throws ServiceError as `preparePreview` and `convertClip`; `out-of-range` naming the field
 * @example await photoOfFile(tools, { path, kind, name: 'cat.mp4' }, request, limits, { folder, signal, circumstances })
 */
export async function photoOfFile(
  { preparePreview, convertClip, openFile }: PhotoTools,
  upload: VideoUpload & { readonly name: string | undefined },
  request: PhotoRequest,
  limits: Pick<MediaLimits, 'maxClipSeconds' | 'maxInputSeconds'>,
  task: Omit<PrepareTask, 'window'> & { readonly circumstances: Omit<Circumstances, 'cover'> },
): Promise<PhotoOfFile> {
  const { cover, origin: wish, coverFile } = request
  const window = neededWindow(request)
  const source = await videoOf(openFile, upload, task)
  const own = coverFile ? undefined : ownPictureOf(request, source)
  const wanted = windowFrames(window, limits.maxInputSeconds)
  const endFrame = wanted.firstFrame + wanted.maxFrames
  const original = await material(source.path)
  if (!isCopied(request, source, original.bytes.size)) return make(false)
  const indexed =
    coverFile || own ? indexedPreview(request, source, endFrame, original.bytes.size) : undefined
  const withSound = () => make(true).catch(orElse(() => make(false)))
  return indexed ? make(true, indexed).catch(orElse(withSound)) : withSound()

  async function make(isSoundOnly: boolean, known?: Preview): Promise<PhotoOfFile> {
    const { folder, signal, onProgress } = task
    const preparing = { folder, signal, onProgress, window, makesStrip: false, isSoundOnly }
    const preview = known ?? (await preparePreview(source, preparing).catch(inFieldWords))
    checkRepeat(request, preview.hasAudio)
    const range = { ...request, cover: cover ?? (own && momentOf(source, preview)) }
    const { firstFrame } = preview.original
    const maxFrames = endFrame - firstFrame
    const plan = planPhoto(range, preview, maxFrames, limits.maxClipSeconds)
    const { now } = task.circumstances
    const capture = captureOf(preview.capture, source.clocks, { fileName: upload.name, now })
    const origin = chooseOrigin(wish, capture, {
      ...task.circumstances,
      cover: { plan, firstFrame: 0, stillSeconds: source.still?.seconds, isOwn: own !== undefined },
    })
    const path = isSoundOnly ? noPictures : async () => preview.path
    const converted = await convertClip(
      {
        preview: { ...(await material(preview.path)), path, isSoundOnly, hasAudio: preview.hasAudio },
        original: { ...original, traits: preview.original },
        ...(known && { cover: noPictures }),
      },
      {
        profile: request.profile,
        mute: request.mute,
        quality: request.quality,
        hdr: request.hdr,
        wallpaper: request.wallpaper,
        edit: request.edit,
        picture: coverFile
          ? { bytes: coverFile, name: 'cover_file', hasTags: wish.metadata === 'all' }
          : own && (await readOwn(own)),
        origin,
        plan: {
          ...plan,
          startFrame: plan.startFrame - firstFrame,
          coverFrame: plan.coverFrame - firstFrame,
        },
      },
      { folder, signal },
    )
    const isSoundLost = preview.isSoundLost === true && !request.mute
    return { ...converted, origin, plan, videoSeconds: totalFrames(preview, maxFrames) / FPS, isSoundLost }
  }

  async function readOwn({ parts, source, isOptional, lost }: OwnStill): Promise<OwnPicture> {
    const bytes = await joinParts(parts, source)
    const keepsHeic = request.format === 'keep'
    return {
      bytes,
      name: "The photo's own picture",
      isOptional: isOptional && !keepsHeic,
      isOfPhoto: true,
      hasTags: wish.metadata === 'all',
      lost: lossesIn(lost),
      keepsHeic,
    }
  }

  async function material(path: string): Promise<Material> {
    return { bytes: await openFile(path), path: async () => path }
  }
}

/** @throws PicturesNeeded */
async function noPictures(): Promise<never> {
  throw new PicturesNeeded()
}

function orElse<T>(next: () => Promise<T>): (error: unknown) => Promise<T> {
  return (error) => {
    if (error instanceof PicturesNeeded) return next()
    throw error
  }
}

type OwnStill = NonNullable<Video['still']> & { readonly isOptional: boolean }

/** @throws ServiceError `unprocessable` when the photo's own picture is wanted, and there is none */
function ownPictureOf({ coverFrom, cover }: PhotoRequest, { still }: Video): OwnStill | undefined {
  const isOptional = coverFrom === 'auto'
  if (coverFrom === 'time' || (isOptional && cover !== undefined)) return undefined
  if (still) return { ...still, isOptional }
  if (isOptional) return undefined
  throw new ServiceError(
    'unprocessable',
    (nameOf) =>
      `${nameOf('cover=source')} needs a motion photo or Live Photo with its picture as the file. ${nameOf('Leave cover out, and send cover_time.')}`,
  )
}

/** The moment that the photo's own picture shows, in seconds of the video. */
function momentOf({ still }: Video, { original, frames }: Preview): number | undefined {
  const end = (original.firstFrame + frames) / FPS
  return still?.seconds === undefined ? undefined : Math.min(still.seconds, end)
}

/** A window's `from` is the range's start here. */
function inFieldWords(error: unknown): never {
  if (!(error instanceof ServiceError) || error.code !== 'out-of-range') throw error
  const inRangeNames: Wording = (nameOf) => error.detailIn((word) => nameOf(RANGE_NAMES[word] ?? word))
  throw new ServiceError(error.code, inRangeNames, { cause: error })
}

const RANGE_NAMES: Readonly<Record<string, string>> = { from: 'range_start', 'the file': 'the video' }
