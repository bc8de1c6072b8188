import { ServiceError } from '#core/errors'
import { FPS } from '../frames'
import { assembleMotionPhoto } from '../motionPhoto/assemble'
import { MAX_THUMBNAIL_BYTES } from '../motionPhoto/exif'
import { presentationTimestampUs } from '../motionPhoto/presentation'
import type { MotionPhotoProfile } from '../motionPhoto/profile'
import type { WallClock } from '../motionPhoto/wallClock'
import { normalizeClip } from '../mp4/normalizeClip'
import type { Ffmpeg, FfmpegOutcome, WebpDecoder, WorkFolder } from '../ports'
import { isOutOfSpace } from '../prepare/probe'
import type { OriginalTraits } from '../prepare/source'
import { withTimeLimit } from '../timeLimit'
import type { ClipPlan } from './clip'
import { encodeClipArgs } from './clipEncoding'
import {
  coverTries,
  isTooLate,
  previewCoverArgs,
  rawCoverArgs,
  type StillFiles,
  smallThumbnailArgs,
} from './coverArgs'
import { mustSucceed } from './outcome'
import { webpPicture } from './webpPicture'

export type Converting = {
  /** @throws ServiceError `timeout`, `internal`, `unavailable` */
  motionPhoto(materials: Materials, order: MotionPhotoOrder, task: ConvertTask): Promise<Uint8Array>
  /** One frame of a preview as a JPEG of at most `width` pixels. */
  thumbnail(preview: string, frame: number, width: number, signal: AbortSignal): Promise<Uint8Array>
}

export type Materials = {
  readonly preview: { readonly path: string; readonly hasAudio: boolean }
  readonly original: { readonly path: string; readonly traits: OriginalTraits }
}

export type MotionPhotoOrder = {
  readonly plan: ClipPlan
  readonly profile: MotionPhotoProfile
  readonly mute: boolean
  readonly takenAt: WallClock
}

export type ConvertTask = { readonly folder: WorkFolder; readonly signal: AbortSignal }

export type ConvertingDependencies = {
  readonly ffmpeg: Ffmpeg
  readonly webp: WebpDecoder
  readonly maxInputSeconds: number
  readonly timeoutSeconds: number
  /** Written into the photo as the software that made it. */
  readonly software: string
}

/** Cuts clips, takes covers, and puts motion photos together. */
export function createMotionPhotoMaking(dependencies: ConvertingDependencies): Converting['motionPhoto'] {
  const { ffmpeg } = dependencies
  const timeoutMs = dependencies.timeoutSeconds * 1000

  return (materials, order, task) =>
    withTimeLimit(timeoutMs, task.signal, (signal) => motionPhoto(materials, order, { ...task, signal }))

  async function motionPhoto(
    materials: Materials,
    { plan, profile, mute, takenAt }: MotionPhotoOrder,
    task: ConvertTask,
  ): Promise<Uint8Array> {
    // Whichever fails first stops the other: nothing may run on after the answer.
    const both = new AbortController()
    const signal = AbortSignal.any([task.signal, both.signal])
    const work = [
      makeClip(materials, plan, mute, { ...task, signal }),
      makeStills(materials, plan, { ...task, signal }),
    ]
    const results = await Promise.allSettled(work.map((step) => step.catch((error) => stop(both, error))))
    task.signal.throwIfAborted()
    for (const result of results) if (result.status === 'rejected') throw both.signal.reason
    const [clip, cover, thumbnail] = await Promise.all(
      ['clip.mp4', 'cover.jpg', 'thumbnail.jpg'].map((name) => task.folder.read(name)),
    )
    if (!clip || !cover || !thumbnail)
      throw new ServiceError('internal', 'The motion photo could not be made.')
    return assembleMotionPhoto({
      cover,
      thumbnail,
      clip: normalizeClip(clip),
      profile,
      takenAt,
      software: dependencies.software,
      presentationTimestampUs: presentationTimestampUs({
        coverSeconds: plan.coverFrame / FPS,
        startSeconds: plan.startFrame / FPS,
        speed: plan.speed,
        clipFrames: plan.clipFrames,
        fps: FPS,
      }),
    })
  }

  async function makeClip(
    { preview }: Materials,
    plan: ClipPlan,
    mute: boolean,
    task: ConvertTask,
  ): Promise<void> {
    const hasSound = preview.hasAudio && !mute
    await run(task, encodeClipArgs(preview.path, plan, hasSound, task.folder.path('clip.mp4')))
  }

  async function makeStills(
    { preview, original }: Materials,
    { coverFrame }: ClipPlan,
    task: ConvertTask,
  ): Promise<void> {
    const { folder, signal } = task
    const files = { cover: folder.path('cover.jpg'), thumbnail: folder.path('thumbnail.jpg') }
    const made = await takeFromOriginal(original, coverFrame, files, task)
    if (made && isOutOfSpace(made)) mustSucceed(made)
    // An original whose index is broken played once from its start, but cannot be entered in the middle.
    if (made?.exitCode !== 0 || !(await folder.size('cover.jpg'))) {
      await run(task, previewCoverArgs(preview.path, coverFrame, files))
    }
    if (((await folder.size('thumbnail.jpg')) ?? 0) > MAX_THUMBNAIL_BYTES) {
      await run({ folder, signal }, smallThumbnailArgs(files.cover, files.thumbnail))
    }
  }

  async function takeFromOriginal(
    { path, traits }: Materials['original'],
    frame: number,
    files: StillFiles,
    { signal }: ConvertTask,
  ): Promise<FfmpegOutcome | undefined> {
    if (traits.kind === 'webp') {
      const animation = await dependencies.webp.open(path)
      const picture = await webpPicture(animation, frame, dependencies.maxInputSeconds, signal)
      return ffmpeg.run({ args: rawCoverArgs(traits.size, files), stdin: picture, timeoutMs, signal })
    }
    let outcome: FfmpegOutcome | undefined
    for (const args of coverTries(path, traits, frame, files)) {
      outcome = await ffmpeg.run({ args, timeoutMs, signal })
      if (outcome.exitCode !== 0 || !isTooLate(outcome.stderr, frame)) break
    }
    return outcome
  }

  async function run({ signal }: ConvertTask, args: string[]): Promise<void> {
    mustSucceed(await ffmpeg.run({ args, timeoutMs, signal }))
  }
}

function stop(controller: AbortController, error: unknown): never {
  controller.abort(error)
  throw error
}
