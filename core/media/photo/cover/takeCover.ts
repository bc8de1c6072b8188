import { ServiceError } from '@lantern-room/base'
import type { Size } from '@lantern-room/formats'
import type { MetadataLoss } from '@lantern-room/formats/make'
import { MAX_THUMBNAIL_BYTES } from '@lantern-room/formats/make'
import type { PixelChange } from '@lantern-room/formats/pictures'
import {
  conversionError,
  type FfmpegRun,
  ffmpegFailure,
  isOutOfSpace,
  runFfmpeg,
} from '#media/ffmpeg/requireSuccess'
import type { MediaParts } from '#media/parts'
import { type PictureEdit, scaledEditFilters } from '#media/pictureEdit'
import type { FfmpegOutcome, WebpAnimation, WorkFolder } from '#media/ports'
import { webpTimeline } from '#media/preview/timeline'
import type { Material } from '#media/sessions/sessionFiles'
import type { OriginalTraits } from '#media/traits'
import {
  coverTries,
  pipedCoverArgs,
  previewCoverArgs,
  rawCoverArgs,
  type StillFiles,
  smallThumbnailArgs,
} from './coverArgs'
import { decodeFrame } from './coverGroup'

export type CoverDependencies = Pick<MediaParts, 'ffmpeg' | 'webp'>

/** Where a cover is taken from. The paths are asked for only where a program has to seek in the whole file. */
export type CoverMaterials = {
  readonly preview: Pick<Material, 'path'>
  readonly original: Material & { readonly traits: OriginalTraits }
}

export type CoverTask = Omit<FfmpegRun, 'ffmpeg'> & {
  readonly folder: WorkFolder
  readonly edit: PictureEdit
}

/** Of a finished picture. */
export type OwnCoverTask = CoverTask & {
  /** Size of the video as it is shown, in whose pixels a crop counts. */
  readonly source: Size
}

/** Two JPEGs of one picture. */
export type Cover = {
  /** As large as the original. */
  readonly cover: Uint8Array
  /** Small enough for the EXIF of a motion photo. */
  readonly thumbnail: Uint8Array
  /** How EXIF says that both are turned, 1 to 8. @default 1: as they are */
  readonly orientation?: number
  /** Of a photo's own picture: whether its metadata is that of the photo. @default false */
  readonly hasOwnMetadata?: boolean | undefined
  /** Where the photo's pixels are in it, if they have moved. */
  readonly pixels?: PixelChange | undefined
  /** What could not be kept of that metadata. @default nothing */
  readonly lost?: readonly MetadataLoss[] | undefined
  /** Whether it is a HEIC, without a thumbnail. @default a JPEG */
  readonly isHeic?: boolean
  /** Its gain map, a JPEG. */
  readonly gainMap?: Uint8Array | undefined
}

type Taking = CoverDependencies & CoverMaterials & CoverTask & { readonly coverFrame: number }

const COVER_FILE = 'cover.jpg'
export const THUMBNAIL_FILE = 'thumbnail.jpg'

/**
 * Takes the picture that the preview shows in a frame from the original, at its full size.
 * @param coverFrame of the preview
 * @throws ServiceError `timeout`, `internal`, `unavailable`, `not-found` when the session was removed meanwhile
 */
export async function takeCover(
  { ffmpeg, webp }: CoverDependencies,
  { preview, original }: CoverMaterials,
  coverFrame: number,
  { folder, timeoutMs, signal, edit }: CoverTask,
): Promise<Cover> {
  const taking = { ffmpeg, webp, preview, original, folder, timeoutMs, signal, edit, coverFrame }
  const files = stillFiles(folder)
  const { traits } = original
  const isTaken =
    traits.kind === 'webp'
      ? await isWritten(taking, await fromWebp(taking, files))
      : await decodeFrame(
          taking,
          traits.firstFrame + coverFrame,
          {
            piped: (frame) => pipedCoverArgs(traits, frame, files, edit),
            searches: (path) => coverTries(path, traits, traits.firstFrame + coverFrame, files, edit),
          },
          (outcome) => isWritten(taking, outcome),
        )
  // An original whose index is broken played once from its start, but cannot be decoded from the middle.
  if (!isTaken) {
    const edited = scaledEditFilters(edit, traits.size)
    await runFfmpeg(taking, previewCoverArgs(await preview.path(), coverFrame, files, edited))
  }
  return readStills(taking)
}

/** Both JPEGs as they were written, with a thumbnail that fits into the EXIF. */
export async function readStills(task: FfmpegRun & Pick<CoverTask, 'folder'>): Promise<Cover> {
  const { cover, thumbnail } = stillFiles(task.folder)
  if (((await task.folder.size(THUMBNAIL_FILE)) ?? 0) > MAX_THUMBNAIL_BYTES) {
    await runFfmpeg(task, smallThumbnailArgs(cover, thumbnail))
  }
  return { cover: await task.folder.read(COVER_FILE), thumbnail: await task.folder.read(THUMBNAIL_FILE) }
}

export function stillFiles(folder: WorkFolder): StillFiles {
  return { cover: folder.path(COVER_FILE), thumbnail: folder.path(THUMBNAIL_FILE) }
}

async function fromWebp(taking: Taking, files: StillFiles): Promise<FfmpegOutcome> {
  const { original, coverFrame, webp, signal, edit, ffmpeg, timeoutMs } = taking
  const { firstFrame, size } = original.traits
  const animation = await webp.open(await original.path())
  const stdin = await webpPicture(animation, firstFrame + coverFrame, signal)
  return ffmpeg.run({ args: rawCoverArgs(size, files, edit), stdin, timeoutMs, signal })
}

/** @throws ServiceError `unavailable` when the disk is full */
async function isWritten({ folder }: Taking, outcome: FfmpegOutcome): Promise<boolean> {
  if (isOutOfSpace(outcome)) throw ffmpegFailure(outcome, conversionError)
  return outcome.exitCode === 0 && ((await folder.size(COVER_FILE)) ?? 0) > 0
}

/**
 * The picture of an animated WebP that the preview shows in frame `frame`.
 * @param animation undefined when this installation can no longer read WebP
 * @returns width × height × 3 bytes of RGB
 * @throws ServiceError `unavailable`, `internal`
 */
async function webpPicture(
  animation: WebpAnimation | undefined,
  frame: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (!animation) {
    throw new ServiceError('unavailable', 'WebP cannot be read by this installation any more.')
  }
  const { repeats } = webpTimeline(animation.delaysMs)
  let left = frame
  const wanted = repeats.findIndex((count) => {
    left -= count
    return left < 0
  })
  let index = 0
  for await (const picture of animation.frames(signal)) {
    if (index === wanted) return picture
    index += 1
  }
  throw new ServiceError('internal', 'The cover could not be taken from the original.')
}
