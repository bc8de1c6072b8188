import { bothOrNone } from '#core/async/bothOrNone'
import { withDeadline } from '#core/async/deadline'
import type { Clock } from '#core/clock'
import { tooSlow } from '#core/errors'
import type { ByteSource } from '../byteSource'
import { type Clip, makeClip } from '../clip/makeClip'
import type { MediaLimits } from '../config'
import { conversionError, isOutOfSpace, requireSuccess } from '../ffmpeg/requireSuccess'
import { isTooLate } from '../ffmpeg/seeking'
import { FPS } from '../frames'
import { assembleMotionPhoto } from '../motionPhoto/assemble'
import { MAX_THUMBNAIL_BYTES } from '../motionPhoto/exif'
import { presentationTimestampUs } from '../motionPhoto/presentation'
import type { MotionPhotoProfile } from '../motionPhoto/profile'
import type { WallClock } from '../motionPhoto/wallClock'
import type { Ffmpeg, FfmpegOutcome, WebpDecoder, WorkFolder } from '../ports'
import type { OriginalTraits } from '../traits'
import type { ClipPlan } from './clip'
import { coverTries, previewCoverArgs, rawCoverArgs, type StillFiles, smallThumbnailArgs } from './coverArgs'
import { webpPicture } from './webpPicture'

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
}

/** A file of a session: its bytes in parts, and a path for programs that must seek in it. */
export type Material = { readonly bytes: ByteSource; path(): Promise<string> }

export type ClipSettings = {
  readonly plan: ClipPlan
  readonly profile: MotionPhotoProfile
  readonly mute: boolean
  readonly takenAt: WallClock
}

export type ConvertTask = { readonly folder: WorkFolder; readonly signal: AbortSignal }

type Conversion = ConvertDependencies &
  ConvertMaterials &
  ClipSettings &
  ConvertTask & { readonly timeoutMs: number }

/**
 * Cuts a clip out of a preview, takes its cover from the original, and joins them to a motion photo.
 * @returns the bytes of the JPEG
 * @throws ServiceError `timeout`, `internal`, `unavailable`
 */
export function convertClip(
  dependencies: ConvertDependencies,
  materials: ConvertMaterials,
  settings: ClipSettings,
  task: ConvertTask,
): Promise<Uint8Array> {
  const timeoutMs = dependencies.limits.convertTimeoutSeconds * 1000
  return withDeadline(dependencies.clock, timeoutMs, task.signal, tooSlow, async (signal) => {
    const conversion = { ...dependencies, ...materials, ...settings, folder: task.folder, timeoutMs }
    const { preview, original, mute, ...common } = conversion
    const hasSound = preview.hasAudio && !mute
    const [clip] = await bothOrNone(
      signal,
      (both) => makeClip({ ...common, preview: preview.bytes, hasSound, signal: both }),
      (both) => makeStills({ ...conversion, signal: both }),
    )
    return joinFiles({ ...conversion, signal }, clip)
  })
}

async function makeStills(conversion: Conversion): Promise<void> {
  const { preview, plan, folder, ffmpeg, timeoutMs, signal } = conversion
  const run = async (args: string[]) =>
    requireSuccess(await ffmpeg.run({ args, timeoutMs, signal }), conversionError)
  const files = { cover: folder.path('cover.jpg'), thumbnail: folder.path('thumbnail.jpg') }
  const made = await takeFromOriginal(conversion, files)
  if (made && isOutOfSpace(made)) throw conversionError(made)
  // An original whose index is broken played once from its start, but cannot be decoded from the middle.
  if (made?.exitCode !== 0 || !(await folder.size('cover.jpg'))) {
    await run(previewCoverArgs(await preview.path(), plan.coverFrame, files))
  }
  if (((await folder.size('thumbnail.jpg')) ?? 0) > MAX_THUMBNAIL_BYTES) {
    await run(smallThumbnailArgs(files.cover, files.thumbnail))
  }
}

async function takeFromOriginal(
  conversion: Conversion,
  files: StillFiles,
): Promise<FfmpegOutcome | undefined> {
  const { original, plan, ffmpeg, webp, limits, timeoutMs, signal } = conversion
  const { traits } = original
  const path = await original.path()
  const frame = traits.firstFrame + plan.coverFrame
  if (traits.kind === 'webp') {
    const animation = await webp.open(path)
    const maxSeconds = traits.firstFrame / FPS + limits.maxInputSeconds
    const picture = await webpPicture(animation, frame, maxSeconds, signal)
    return ffmpeg.run({ args: rawCoverArgs(traits.size, files), stdin: picture, timeoutMs, signal })
  }
  let outcome: FfmpegOutcome | undefined
  for (const args of coverTries(path, traits, frame, files)) {
    outcome = await ffmpeg.run({ args, timeoutMs, signal })
    if (outcome.exitCode !== 0 || !isTooLate(outcome.stderr, frame)) break
  }
  return outcome
}

async function joinFiles(
  { folder, plan, profile, takenAt, version }: Conversion,
  clip: Clip,
): Promise<Uint8Array> {
  const [cover, thumbnail] = await Promise.all([folder.read('cover.jpg'), folder.read('thumbnail.jpg')])
  return assembleMotionPhoto({
    cover,
    thumbnail,
    clip: clip.mp4,
    profile,
    takenAt,
    software: `Lantern Room ${version}`,
    presentationTimestampUs: presentationTimestampUs(
      (plan.coverFrame - plan.startFrame) / (FPS * plan.speed),
      clip.times,
    ),
  })
}
