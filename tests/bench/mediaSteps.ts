import { availableParallelism } from 'node:os'
import { createFfmpeg } from '#core/adapters/ffmpeg/ffmpeg'
import { createSharpWebp } from '#core/adapters/ffmpeg/sharpWebp'
import { createWorkFolders } from '#core/adapters/files/workFolders'
import { createSystemClock } from '#core/adapters/system/systemClock'
import { makeClip } from '#core/media/clip/makeClip'
import { readMediaConfig } from '#core/media/config'
import { planClip } from '#core/media/convert/clip'
import { convertClip } from '#core/media/convert/convertClip'
import type { WorkFolder } from '#core/media/ports'
import { preparePreview } from '#core/media/prepare/preparePreview'
import type { Preview } from '#core/media/traits'
import { materialOf } from '#support/media/mediaTools'
import { ORIGIN } from '#support/media/prepared'

/** Seconds of the preview, and how fast they are played. */
export type Range = {
  readonly start: number
  readonly end: number
  readonly cover: number
  readonly speed: number
}

export type MediaSteps = ReturnType<typeof createMediaSteps>

/** The steps of the service that take time, without HTTP and store. What they write is removed after each. */
export function createMediaSteps(ffmpegPath: string, folder: string) {
  const { limits, previewSize } = readMediaConfig({})
  const { signal } = new AbortController()
  const workFolders = createWorkFolders({ folder })
  const dependencies = {
    ffmpeg: createFfmpeg({ path: ffmpegPath }),
    webp: createSharpWebp(),
    clock: createSystemClock(),
    limits,
    previewSize,
    processors: availableParallelism(),
    version: 'bench',
  }

  async function inFolder<T>(use: (work: WorkFolder) => Promise<T>): Promise<T> {
    const work = await workFolders.open()
    try {
      return await use(work)
    } finally {
      await work.dispose()
    }
  }

  return {
    dependencies,

    prepare: (path: string, use: (preview: Preview) => Promise<unknown>) =>
      inFolder(async (work) =>
        use(await preparePreview(dependencies, { path, kind: 'video' }, { folder: work, signal })),
      ),

    convert: (preview: Preview, input: string, { start, end, cover, speed }: Range) =>
      inFolder(async (work) => {
        const wanted = { rangeStart: start, rangeEnd: end, coverTime: cover, speed }
        return convertClip(
          dependencies,
          {
            preview: { ...(await materialOf(preview.path)), hasAudio: preview.hasAudio },
            original: { ...(await materialOf(input)), traits: preview.original },
          },
          {
            plan: planClip(wanted, preview.frames, 60),
            profile: 'universal',
            mute: false,
            quality: 'preview',
            origin: ORIGIN,
          },
          { folder: work, signal },
        )
      }),

    /** Three seconds. @param source path of the original, where its quality is wanted */
    clip: (preview: Preview, source: string | undefined, startFrame: number, speed: number) =>
      inFolder(async (work) =>
        makeClip({
          ffmpeg: dependencies.ffmpeg,
          timeoutMs: 60_000,
          signal,
          preview: (await materialOf(preview.path)).bytes,
          plan: { startFrame, sourceFrames: 90, clipFrames: Math.round(90 / speed), speed },
          hasSound: preview.hasAudio,
          source:
            source === undefined
              ? undefined
              : { bytes: (await materialOf(source)).bytes, stream: 0, firstFrame: 0, mayBeHevc: true },
          folder: work,
        }),
      ),
  }
}
