import { ServiceError } from '#core/errors'
import type { ByteSource } from '../byteSource'
import { type Circumstances, chooseOrigin, type OriginWish, type PhotoOrigin } from '../capture/chooseOrigin'
import type { MediaLimits } from '../config'
import type { ClipPlan } from '../convert/clip'
import type {
  ClipSettings,
  ConvertedClip,
  ConvertMaterials,
  ConvertTask,
  Material,
} from '../convert/convertClip'
import type { PrepareTask, Source } from '../prepare/preparePreview'
import type { UploadKind } from '../prepare/source'
import { captureOf, videoOf } from '../prepare/videoOf'
import { windowFrames } from '../prepare/window'
import type { Preview } from '../traits'
import { neededWindow, type PhotoRange, planPhoto } from './photoRange'

/** The two steps, with their dependencies bound. */
export type PhotoTools = {
  /** A file of this machine, to be read by range. */
  openFile(path: string): Promise<ByteSource>
  preparePreview(source: Source, task: PrepareTask): Promise<Preview>
  convertClip(materials: ConvertMaterials, settings: ClipSettings, task: ConvertTask): Promise<ConvertedClip>
}

export type PhotoRequest = PhotoRange &
  Omit<ClipSettings, 'plan' | 'origin'> & { readonly origin: OriginWish }

export type PhotoOfFile = ConvertedClip & {
  readonly origin: PhotoOrigin
  /** In frames of the whole file. */
  readonly plan: ClipPlan
}

/**
 * Makes a motion photo of a part of a file. Only that part is decoded and encoded.
 * @throws ServiceError as `preparePreview` and `convertClip`; `out-of-range` naming the field
 */
export async function photoOfFile(
  { preparePreview, convertClip, openFile }: PhotoTools,
  upload: { readonly path: string; readonly kind: UploadKind },
  request: PhotoRequest,
  limits: Pick<MediaLimits, 'maxClipSeconds' | 'maxInputSeconds'>,
  task: Omit<PrepareTask, 'window'> & { readonly circumstances: Circumstances },
): Promise<PhotoOfFile> {
  const { start, end, cover, speed, origin: wish, ...settings } = request
  const range = { start, end, cover, speed }
  const window = neededWindow(range)
  const source = await videoOf(openFile, upload, task)
  const preview = await preparePreview(source, { ...task, window, makesStrip: false }).catch(inFieldWords)
  const { maxFrames } = windowFrames(window, limits.maxInputSeconds)
  const plan = planPhoto(range, preview, maxFrames, limits.maxClipSeconds)
  const { firstFrame } = preview.original
  const origin = chooseOrigin(wish, captureOf(preview.capture, source), task.circumstances)
  const converted = await convertClip(
    {
      preview: { ...(await material(preview.path)), hasAudio: preview.hasAudio },
      original: { ...(await material(source.path)), traits: preview.original },
    },
    {
      ...settings,
      origin,
      plan: {
        ...plan,
        startFrame: plan.startFrame - firstFrame,
        coverFrame: plan.coverFrame - firstFrame,
      },
    },
    { folder: task.folder, signal: task.signal },
  )
  return { ...converted, origin, plan }

  async function material(path: string): Promise<Material> {
    return { bytes: await openFile(path), path: async () => path }
  }
}

/** A window's `from` is the range's start here. */
function inFieldWords(error: unknown): never {
  if (!(error instanceof ServiceError) || error.code !== 'out-of-range') throw error
  const detail = error.detail
    .replace('from must lie', 'range_start must lie')
    .replace('the file', 'the video')
  throw new ServiceError(error.code, detail, { cause: error })
}
