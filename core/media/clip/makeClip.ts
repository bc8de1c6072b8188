import { bothOrNone } from '#core/async/bothOrNone'
import { ServiceError } from '#core/errors'
import type { ByteSource } from '../byteSource'
import { conversionError, requireSuccess } from '../ffmpeg/requireSuccess'
import { FPS } from '../frames'
import { normalizeClip } from '../mp4/normalizeClip'
import { readIndex } from '../mp4/readIndex'
import { readSamples } from '../mp4/readSamples'
import type { Track } from '../mp4/track'
import { type FilledTrack, joinMovie } from '../mp4/writeMovie'
import type { WorkFolder } from '../ports'
import type { ClipFrames, FfmpegRun } from './clipTask'
import { copyPictures, type Pictures } from './copyPictures'
import { canRetime, cutPictures, isPlain, type PictureCut } from './cutPictures'
import { copySound, cutSound, type SoundCut } from './cutSound'
import { encodeClipArgs } from './encodeClipArgs'
import { pipeMovie } from './pipeMovie'
import { cutForTempo, stretchSound } from './stretchSound'

/** A clip, and when each of its pictures is shown: seconds from its start. */
export type Clip = { readonly mp4: Uint8Array; readonly times: readonly number[] }

export type ClipTask = FfmpegRun & {
  readonly preview: ByteSource
  readonly plan: ClipFrames
  readonly hasSound: boolean
  /** Where a clip is written that must be encoded anew. */
  readonly folder: Pick<WorkFolder, 'path' | 'read'>
}

/**
 * Cuts a clip out of a preview. Frames and sound are copied where speed and level allow, else re-encoded.
 * @returns an MP4 as motion photos have it: `ftyp`, `free`, `moov`, `mdat`
 * @throws ServiceError `internal`, `timeout`, `unavailable`, `not-found` when the preview was removed meanwhile
 */
export async function makeClip(task: ClipTask): Promise<Clip> {
  const { plan } = task
  const { video, audio } = await readPreviewTracks(task.preview, task.hasSound)
  const cut = cutPictures(video, plan.startFrame, plan.startFrame + plan.sourceFrames)
  const copied = isPlain(video) && canRetime(cut, plan) ? await copyClip(task, cut, audio) : undefined
  return copied ?? encodeClip(task, cut, audio)
}

async function copyClip(
  task: ClipTask,
  cut: PictureCut,
  audio: Track | undefined,
): Promise<Clip | undefined> {
  const { speed } = task.plan
  const seconds = copiedSeconds(task.plan)
  const sound = audio && cutClipSound(audio, task.plan, seconds)
  const [pictureSamples = [], soundSamples = []] = await readSamples(task.preview, [
    { samples: cut.track.samples, first: cut.group, end: cut.end },
    ...(sound ? [{ samples: sound.track.samples, first: sound.first, end: sound.end }] : []),
  ])
  const [pictures, track] = await bothOrNone(
    task.signal,
    (signal) => copyPictures({ ...task, signal }, cut, pictureSamples, speed, seconds),
    async (signal) => sound && makeSound({ ...task, signal }, sound, soundSamples, speed, seconds),
  )
  return pictures && joinClip(pictures, track)
}

/** How long a clip is whose frames are shown sooner or later. Slowed down, the last frame makes up for the rounding to frames. */
function copiedSeconds({ speed, sourceFrames, clipFrames }: ClipFrames): number {
  return speed < 1 ? clipFrames / FPS : sourceFrames / (FPS * speed)
}

function cutClipSound(audio: Track, { startFrame, speed }: ClipFrames, seconds: number): SoundCut {
  const start = startFrame / FPS
  const end = start + seconds * speed
  return speed === 1 ? cutSound(audio, start, end) : cutForTempo(audio, start, end, speed)
}

async function makeSound(
  run: FfmpegRun,
  sound: SoundCut,
  samples: readonly Uint8Array[],
  speed: number,
  seconds: number,
): Promise<FilledTrack> {
  return speed === 1 ? copySound(sound, samples) : stretchSound(run, sound, samples, speed, seconds)
}

function joinClip(pictures: Pictures, sound: FilledTrack | undefined): Clip {
  return { mp4: joinMovie(sound ? [pictures, sound] : [pictures]), times: pictures.times }
}

async function encodeClip(task: ClipTask, cut: PictureCut, audio: Track | undefined): Promise<Clip> {
  const { preview, plan, folder, ffmpeg, timeoutMs, signal } = task
  const { track, group, start, end } = cut
  const sound = audio && cutClipSound(audio, plan, plan.clipFrames / FPS)
  const args = encodeClipArgs(plan, start - group, sound !== undefined, folder.path('clip.mp4'))
  const stdin = pipeMovie(preview, { track, first: group, end }, sound && (await readSound(preview, sound)))
  requireSuccess(await ffmpeg.run({ args, stdin, timeoutMs, signal }), conversionError)
  return {
    mp4: normalizeClip(await folder.read('clip.mp4')),
    times: Array.from({ length: plan.clipFrames }, (_, frame) => frame / FPS),
  }
}

async function readSound(preview: ByteSource, sound: SoundCut): Promise<FilledTrack> {
  const [samples = []] = await readSamples(preview, [
    { samples: sound.track.samples, first: sound.first, end: sound.end },
  ])
  return copySound(sound, samples)
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
  return { video, audio: hasSound ? movie?.tracks.find(({ kind }) => kind === 'audio') : undefined }
}
