import { ServiceError } from '@lantern-room/base'
import { bothOrNone } from '@lantern-room/base/async'
import type { Track } from '@lantern-room/mp4'
import type { SourceProblem } from '@lantern-room/mp4/clip'
import {
  copySound,
  cutPictures,
  joinClip,
  normalizeClip,
  type PictureCut,
  type Pictures,
  pipeMovie,
  planCopy,
  readClipTracks,
  readSound,
} from '@lantern-room/mp4/clip'
import type { ByteSource } from '@lantern-room/mp4/source'
import { OWN_PIPE, ownInput } from '#media/ffmpeg/ffmpegInput'
import { type FfmpegRun, runFfmpeg } from '#media/ffmpeg/requireSuccess'
import { refusals, refusing, serviceErrorOf } from '#media/formatRefusal'
import { FPS } from '#media/frames'
import { editFilters } from '#media/pictureEdit'
import type { WorkFolder } from '#media/ports'
import { cutClipSound, makeSound } from './clipSound'
import { copyPictures } from './copyPictures'
import { copiedSeconds, encodeClipArgs } from './encodeClipArgs'
import { findSource, isCopyWanted, type OriginalCut, sourceRateOf } from './findSource'

export type Clip = {
  readonly mp4: Uint8Array
  /** When each of its pictures is shown: seconds from its start. */
  readonly times: readonly number[]
  readonly quality: 'preview' | 'source'
  /** Why it has the preview's quality although the source's was asked for. */
  readonly problem: SourceProblem | undefined
  /** Pictures a second that a slow clip of the preview's pictures would have with the original's own, where those are more. */
  readonly sourceRate?: number | undefined
}

/** Pictures of a preview are needed that has none. */
export class PicturesNeeded extends Error {}

export type ClipTask = FfmpegRun &
  OriginalCut & {
    readonly preview: ByteSource
    /** Whether its pictures are black. @default false */
    readonly isSoundOnly?: boolean | undefined
    readonly hasSound: boolean
    /**
     * What the pictures are: the preview's, the original's own where they can be copied (`source`), or those only if they are AVC,
     * which every gallery plays (`auto`).
     */
    readonly quality: 'preview' | 'source' | 'auto'
    /** Where a clip is written that must be encoded anew. */
    readonly folder: Pick<WorkFolder, 'path' | 'read' | 'write'>
  }

/**
 * Cuts a clip out of an original, if wanted and possible, else out of its preview. Frames and sound are copied where speed
 * and level allow, else re-encoded. The sound is always the preview's, which is a copy of the original's where that is AAC.
 * @returns an MP4 as motion photos have it: `ftyp`, `free`, `moov`, `mdat`
 * @throws PicturesNeeded; ServiceError `internal`, `timeout`, `unavailable`, `not-found` when the preview was removed meanwhile
 */
export async function makeClip(task: ClipTask): Promise<Clip> {
  const { plan, quality } = task
  const { video, audio } = await readPreviewTracks(task.preview, task.hasSound)
  const source = quality === 'preview' ? undefined : await findSource(task, quality === 'source')
  if (source?.pictures) return copySourceClip(task, source.pictures, audio)
  if (task.isSoundOnly) throw new PicturesNeeded()

  const cut = cutPictures(video, plan.startFrame, plan.startFrame + plan.sourceFrames)
  const copied = isCopyWanted(task.edit, plan.repeat) ? await copyClip(task, cut, audio) : undefined
  const clip = copied ?? (await encodeClip(task, cut, audio))
  const sourceRate = quality === 'source' ? undefined : await sourceRateOf(task)
  return { ...clip, quality: 'preview', problem: source?.problem, sourceRate }
}

async function copySourceClip(task: ClipTask, pictures: Pictures, audio: Track | undefined): Promise<Clip> {
  const { preview, plan, edit } = task
  const seconds = copiedSeconds(plan)
  const cut = audio && cutClipSound(preview, audio, plan, seconds)
  const samples = cut && (await refusals(readSound(preview, cut)))
  const sound = cut && samples && (await makeSound(task, cut, samples, plan.speed, seconds))
  return { ...joinClip(pictures, sound, edit.rotate), quality: 'source', problem: undefined }
}

type CutClip = Pick<Clip, 'mp4' | 'times'>

/** @returns undefined when the pictures cannot be copied */
async function copyClip(
  task: ClipTask,
  cut: PictureCut,
  audio: Track | undefined,
): Promise<CutClip | undefined> {
  const { preview, plan, edit } = task
  const { speed } = plan
  const seconds = copiedSeconds(plan)
  const sound = audio && cutClipSound(preview, audio, plan, seconds)
  const copy = await refusals(planCopy(preview, cut, { speed, fps: FPS }, sound))
  if (!copy) return undefined
  const [pictures, track] = await bothOrNone(
    task.signal,
    (signal) => copyPictures(runOf(task, signal), copy, speed, seconds),
    async (signal) => sound && makeSound(runOf(task, signal), sound, copy.sound, speed, seconds),
  )
  // Copied pictures are turned by the matrix with which they are shown.
  return pictures && joinClip(pictures, track, edit.rotate)
}

/** A run that another signal ends. */
function runOf({ ffmpeg, timeoutMs }: FfmpegRun, signal: AbortSignal): FfmpegRun {
  return { ffmpeg, timeoutMs, signal }
}

async function encodeClip(task: ClipTask, cut: PictureCut, audio: Track | undefined): Promise<CutClip> {
  const { preview, plan, folder } = task
  const { track, group, start } = cut
  const sound = audio && cutClipSound(preview, audio, plan, plan.clipFrames / FPS)
  const filters = editFilters(task.edit, task.original.traits.size, track)
  const filled = sound && copySound(sound, await refusals(readSound(preview, sound)))
  const movie = piecesOrRefusal(pipeMovie(preview, cut, filled))
  const { repeat = 1 } = plan
  // Decoded again for each time: all pictures of half a minute would take a gigabyte.
  const file = repeat > 1 ? await folder.write('range.mp4', movie) : undefined
  const input = file === undefined ? OWN_PIPE : ownInput(file, { loops: repeat - 1 })
  const output = folder.path('clip.mp4')
  const args = encodeClipArgs(input, plan, start - group, sound !== undefined, output, filters)
  await runFfmpeg(task, args, file === undefined ? movie : undefined)
  const written = await folder.read('clip.mp4')
  return {
    mp4: refusing(() => normalizeClip(written)),
    times: Array.from({ length: plan.clipFrames }, (_, frame) => frame / FPS),
  }
}

/** @throws ServiceError instead of FormatError */
async function* piecesOrRefusal(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces
  } catch (thrown) {
    throw serviceErrorOf(thrown)
  }
}

async function readPreviewTracks(
  preview: ByteSource,
  hasSound: boolean,
): Promise<{ video: Track; audio: Track | undefined }> {
  const { video, audio, problem: cause } = await readClipTracks(preview)
  if (!video) {
    throw new ServiceError('internal', 'The preview could not be read back. Upload the video again.', {
      cause,
    })
  }
  return { video, audio: hasSound ? audio : undefined }
}
