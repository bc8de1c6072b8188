import { ServiceError } from '@lantern-room/base'
import { bothOrNone } from '@lantern-room/base/async'
import type { ByteSource, SourceProblem } from '@lantern-room/formats'
import { readIndex } from '@lantern-room/formats'
import type { SourceCut } from '@lantern-room/formats/parts'
import {
  copySound,
  copySource,
  type FilledTrack,
  joinMovie,
  normalizeClip,
  type Pictures,
  plainAacEntry,
  readSamples,
  type Track,
  turnDisplay,
} from '@lantern-room/formats/parts'
import { OWN_PIPE, ownInput } from '#media/ffmpeg/ffmpegInput'
import { type FfmpegRun, runFfmpeg } from '#media/ffmpeg/requireSuccess'
import { refusals, refusing } from '#media/formatRefusal'
import { FPS } from '#media/frames'
import { editFilters } from '#media/pictureEdit'
import type { WorkFolder } from '#media/ports'
import { cutClipSound, makeSound, readSound } from './clipSound'
import { copyPictures } from './copyPictures'
import { copiedStep, cutPictures, type FrameStep, isPlain, type PictureCut } from './cutPictures'
import { type ClipFrames, encodeClipArgs } from './encodeClipArgs'
import { findSource, isCopyWanted, type OriginalCut, sourceRateOf } from './findSource'
import { pipeMovie } from './pipeMovie'

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
    /** Whether its pictures are black. Default false. */
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
  if (source?.cut) return copySourceClip(task, source, audio)
  if (task.isSoundOnly) throw new PicturesNeeded()

  const cut = cutPictures(video, plan.startFrame, plan.startFrame + plan.sourceFrames)
  const step = isCopyWanted(task.edit, plan.repeat) && isPlain(video) ? copiedStep(cut, plan) : undefined
  const copied = step && (await copyClip(task, cut, step, audio))
  const clip = copied ?? (await encodeClip(task, cut, audio))
  const sourceRate = quality === 'source' ? undefined : await sourceRateOf(task)
  return { ...clip, quality: 'preview', problem: source?.problem, sourceRate }
}

async function copySourceClip(
  task: ClipTask,
  { cut, samples }: { readonly cut: SourceCut; readonly samples: readonly Uint8Array[] },
  audio: Track | undefined,
): Promise<Clip> {
  const { speed } = task.plan
  const seconds = copiedSeconds(task.plan)
  const sound = audio && cutClipSound(task.preview, audio, task.plan, seconds)
  const made = sound && (await makeSound(task, sound, await readSound(task.preview, sound), speed, seconds))
  const clip = joinClip(turned(copySource(cut, samples, speed, seconds), task), made)
  return { ...clip, quality: 'source', problem: undefined }
}

type CutClip = Pick<Clip, 'mp4' | 'times'>

async function copyClip(
  task: ClipTask,
  cut: PictureCut,
  step: FrameStep,
  audio: Track | undefined,
): Promise<CutClip | undefined> {
  const { speed } = task.plan
  const seconds = copiedSeconds(task.plan)
  const sound = audio && cutClipSound(task.preview, audio, task.plan, seconds)
  const [pictureSamples = [], soundSamples = []] = await refusals(
    readSamples(task.preview, [
      { samples: cut.track.samples, first: cut.group, end: cut.end },
      ...(sound ? [{ samples: sound.track.samples, first: sound.first, end: sound.end }] : []),
    ]),
  )
  const [pictures, track] = await bothOrNone(
    task.signal,
    (signal) => copyPictures(runOf(task, signal), cut, step, pictureSamples, speed, seconds),
    async (signal) => sound && makeSound(runOf(task, signal), sound, soundSamples, speed, seconds),
  )
  return pictures && joinClip(turned(pictures, task), track)
}

/** A run that another signal ends. */
function runOf({ ffmpeg, timeoutMs }: FfmpegRun, signal: AbortSignal): FfmpegRun {
  return { ffmpeg, timeoutMs, signal }
}

/** Copied pictures are turned by the matrix with which they are shown. */
function turned(pictures: Pictures, { edit }: ClipTask): Pictures {
  const { track } = pictures
  return {
    ...pictures,
    track: { ...track, display: track.display && turnDisplay(track.display, edit.rotate) },
  }
}

/** How long a clip is whose frames are shown sooner or later. Slowed down, the last frame makes up for the rounding to frames. */
function copiedSeconds({ speed, sourceFrames, clipFrames }: ClipFrames): number {
  return speed < 1 ? clipFrames / FPS : sourceFrames / (FPS * speed)
}

function joinClip(pictures: Pictures, sound: FilledTrack | undefined): CutClip {
  return { mp4: joinMovie(sound ? [pictures, sound] : [pictures]), times: pictures.times }
}

async function encodeClip(task: ClipTask, cut: PictureCut, audio: Track | undefined): Promise<CutClip> {
  const { preview, plan, folder } = task
  const { track, group, start, end } = cut
  const sound = audio && cutClipSound(preview, audio, plan, plan.clipFrames / FPS)
  const filters = editFilters(task.edit, task.original.traits.size, track)
  const filled = sound && copySound(sound, await readSound(preview, sound))
  const movie = pipeMovie(preview, { track, first: group, end }, filled)
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

async function readPreviewTracks(
  preview: ByteSource,
  hasSound: boolean,
): Promise<{ video: Track; audio: Track | undefined }> {
  const { movie, problem } = await readIndex(preview)
  const video = movie?.tracks.find(({ kind }) => kind === 'video')
  if (!video) {
    throw new ServiceError('internal', 'The preview could not be read back. Upload the video again.', {
      cause: problem ?? 'no video track',
    })
  }
  const audio = hasSound ? movie?.tracks.find(({ kind }) => kind === 'audio') : undefined
  return { video, audio: audio && { ...audio, sampleEntry: plainAacEntry(audio.sampleEntry) } }
}
