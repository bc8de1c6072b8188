import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createFfmpeg, createSharpWebp } from '@lantern-room/adapters/ffmpeg'
import { createWorkFolders } from '@lantern-room/adapters/files'
import { createSystemClock } from '@lantern-room/adapters/system'
import { readMediaConfig } from '@lantern-room/media'
import { convertClip, preparePreview } from '@lantern-room/media/make'
import type { WorkFolder } from '@lantern-room/media/ports'
import sharp from 'sharp'
import { materialOf } from '#support/media/mediaTools'
import { framesOf, ORIGIN, type Preview, UNEDITED, WHOLE } from '#support/media/prepared'

const run = promisify(execFile)

const PHONE_CLIP = '/usr/share/forensics-samples/original-files/movie1/VID_20191220_170832.mp4'

/** Frames of `PHONE_CLIP` last 1.3 s at least. */
const SHORTEST_CLIP = 1.3

/**
 * A phone's own recording, repeated, where there is one; else a busy generated picture. 1080p30 with sound.
 * @returns what it is
 */
export async function makeInput(ffmpeg: string, output: string, seconds: number): Promise<string> {
  const make = (args: readonly string[]) => run(ffmpeg, ['-v', 'error', '-y', ...args])
  if (existsSync(PHONE_CLIP)) {
    const again = ['-stream_loop', String(Math.ceil(seconds / SHORTEST_CLIP) - 1)]
    await make([...again, '-i', PHONE_CLIP, '-t', String(seconds), '-c', 'copy', output])
    return `a phone recording, 1920×1080, repeated to ${seconds} s`
  }
  await make([
    ...['-f', 'lavfi', '-i', `testsrc2=s=1920x1080:r=30:d=${seconds}`],
    ...['-f', 'lavfi', '-i', `sine=440:d=${seconds}`, '-vf', 'noise=alls=12:allf=t'],
    ...['-c:v', 'libx264', '-b:v', '15M', '-preset', 'veryfast', '-pix_fmt', 'yuv420p'],
    ...['-c:a', 'aac', '-shortest', output],
  ])
  return `generated, 1920×1080, ${seconds} s`
}

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
  const still = sharp({ create: { width: 320, height: 180, channels: 3, background: 'grey' } })
    .jpeg()
    .toBuffer()

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
        use(
          await preparePreview(
            dependencies,
            { path, kind: 'video' },
            { folder: work, signal, window: WHOLE },
          ),
        ),
      ),

    convert: (preview: Preview, input: string, range: Range) =>
      inFolder(async (work) =>
        convertClip(
          dependencies,
          {
            preview: { ...(await materialOf(preview.path)), hasAudio: preview.hasAudio },
            original: { ...(await materialOf(input)), traits: preview.original },
          },
          {
            plan: framesOf(range, preview.frames),
            profile: 'universal',
            mute: false,
            quality: 'preview',
            hdr: false,
            wallpaper: false,
            origin: ORIGIN,
            edit: UNEDITED,
          },
          { folder: work, signal },
        ),
      ),

    /** Three seconds around a cover that is there already. @param source path of the original, where its quality is wanted */
    clip: (preview: Preview, source: string | undefined, startFrame: number, speed: number) =>
      inFolder(async (work) =>
        convertClip(
          dependencies,
          {
            preview: { ...(await materialOf(preview.path)), hasAudio: preview.hasAudio },
            original: { ...(await materialOf(source ?? preview.path)), traits: preview.original },
            cover: async () => ({ cover: await still, thumbnail: await still }),
          },
          {
            plan: {
              startFrame,
              sourceFrames: 90,
              clipFrames: Math.round(90 / speed),
              speed,
              coverFrame: startFrame,
            },
            profile: 'universal',
            mute: false,
            quality: source === undefined ? 'preview' : 'source',
            hdr: false,
            wallpaper: false,
            origin: ORIGIN,
            edit: UNEDITED,
          },
          { folder: work, signal },
        ),
      ),
  }
}

/** What a service does that was written in an afternoon: default x264 at the input's size, one step after another. */
export function naivePipeline(ffmpeg: string, ffprobe: string | undefined, folder: string) {
  const preview = join(folder, 'naive.mp4')
  const quiet = ['-v', 'error', '-y']

  return {
    preview,

    async prepare(input: string): Promise<void> {
      if (ffprobe) await run(ffprobe, ['-v', 'error', '-show_format', '-show_streams', '-of', 'json', input])
      await run(ffmpeg, [
        ...[...quiet, '-i', input, '-vf', 'scale=ceil(iw/2)*2:ceil(ih/2)*2', '-r', '30'],
        ...['-c:v', 'libx264', '-profile:v', 'baseline', '-level', '3.1', '-pix_fmt', 'yuv420p'],
        ...['-c:a', 'aac', '-movflags', '+faststart', preview],
      ])
      if (ffprobe) await run(ffprobe, ['-v', 'error', '-show_entries', 'format=duration', preview])
    },

    async convert({
      start,
      end,
      cover,
      speed,
    }: {
      start: number
      end: number
      /** Undefined: the clip alone. */
      cover: number | undefined
      speed: number
    }) {
      const clip = join(folder, 'naive-clip.mp4')
      const still = join(folder, 'naive-cover.jpg')
      await run(ffmpeg, [
        ...[...quiet, '-i', preview, '-ss', String(start), '-t', String(end - start)],
        ...[
          ...['-vf', `setpts=PTS/${speed}`, '-af', `atempo=${speed}`],
          ...'-c:v libx264 -profile:v baseline'.split(' '),
        ],
        ...['-pix_fmt', 'yuv420p', '-c:a', 'aac', clip],
      ])
      if (cover === undefined) return
      await run(ffmpeg, [...quiet, '-i', preview, '-ss', String(cover), '-frames:v', '1', '-q:v', '2', still])
      await run(ffmpeg, [...quiet, '-i', still, '-vf', 'scale=320:-1', join(folder, 'naive-thumbnail.jpg')])
    },
  }
}
