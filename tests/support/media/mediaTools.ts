import { open } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { createFfmpeg, createSharpWebp } from '@lantern-room/adapters/ffmpeg'
import { createWorkFolders, openFileSource } from '@lantern-room/adapters/files'
import { createSystemClock } from '@lantern-room/adapters/system'
import { HTTP_STATUS } from '@lantern-room/base/http'
import type { MotionPhoto } from '@lantern-room/formats'
import type { MotionPhotoProfile } from '@lantern-room/formats/make'
import { type MediaConfig, readMediaConfig } from '@lantern-room/media'
import { sourceKind } from '@lantern-room/media/files'
import { convertClip, preparePreview, videoOf } from '@lantern-room/media/make'
import type { ClipQuality } from '@lantern-room/media/options'
import type { Ffmpeg } from '@lantern-room/media/ports'
import * as assert from 'uvu/assert'
import { readMotionPhoto } from '#support/media/readMotionPhoto'
import { rejectedRefusal } from '#support/values/failures'
import { ffmpegPath, type MediaFolder } from './media'
import { framesOf, ORIGIN, type Preview, UNEDITED, WHOLE, type Window } from './prepared'
import { servedFrames } from './servedFrames'

export type Prepared = Preview & { readonly upload: string }

export type Shot = Awaited<ReturnType<typeof convertClip>> & {
  /** Where the motion photo is written. */
  readonly path: string
  readonly read: MotionPhoto
  /** Its clip and its EXIF thumbnail as files of their own. */
  readonly clip: string
  readonly thumbnail: string
  /** Of the clip that was asked for: frames of the preview, frames of the clip. */
  readonly plan: ReturnType<typeof framesOf>
}

export type MediaTools = {
  /** What POST /prepare does with an upload. */
  prepare(
    upload: string,
    options?: {
      readonly window?: Window
      readonly makesStrip?: boolean
    },
  ): Promise<Prepared>
  /** What POST /convert does with a session. */
  shoot(
    prepared: Prepared,
    request?: Partial<Parameters<typeof framesOf>[0]>,
    options?: ShotOptions,
  ): Promise<Shot>
  /** What a session serves as this frame: the path of a JPEG. */
  thumbnail(prepared: Prepared, frame: number, width?: number): Promise<string>
  /** Several that are asked for together. */
  thumbnails(prepared: Prepared, frames: readonly number[], width: number): Promise<readonly string[]>
}

export type ShotOptions = {
  readonly profile?: MotionPhotoProfile
  readonly quality?: ClipQuality
}

export type MediaToolOptions = {
  readonly previewSize?: MediaConfig['previewSize']
  readonly limits?: Partial<MediaConfig['limits']>
  readonly ffmpeg?: Ffmpeg
}

/** The service's tools on the real programs, without HTTP and sessions. Everything they make goes into `media`. */
export function createMediaTools(media: MediaFolder, options: MediaToolOptions = {}): MediaTools {
  const config = readMediaConfig({})
  const limits = { ...config.limits, ...options.limits }
  const dependencies = {
    ffmpeg: withDecodersListed(options.ffmpeg ?? createFfmpeg({ path: ffmpegPath })),
    webp: createSharpWebp(),
    clock: createSystemClock(),
    limits,
    previewSize: options.previewSize ?? 'fit',
    processors: availableParallelism(),
    version: '1.2.3',
  }
  const workFolders = createWorkFolders({ folder: media.path('work') })
  const never = new AbortController().signal

  return {
    async prepare(upload, { window = WHOLE, makesStrip = true } = {}) {
      const kind = sourceKind(await headOf(upload))
      const folder = await workFolders.open()
      try {
        const task = { folder, signal: never, makesStrip, window }
        const video = await videoOf(openFileSource, { path: upload, kind }, task)
        const preview = await preparePreview(dependencies, video, task)
        return { ...preview, upload: video.path }
      } catch (error) {
        await folder.dispose()
        throw error
      }
    },

    async shoot(prepared, request = {}, { profile = 'universal', quality = 'preview' } = {}) {
      const end = prepared.frames / 30
      const plan = framesOf({ start: 0, end, cover: 0, speed: 1, ...request }, prepared.frames)
      const folder = await workFolders.open()
      const converted = await convertClip(
        dependencies,
        {
          preview: { ...(await materialOf(prepared.path)), hasAudio: prepared.hasAudio },
          original: { ...(await materialOf(prepared.upload)), traits: prepared.original },
        },
        {
          plan,
          profile,
          quality,
          mute: false,
          hdr: false,
          wallpaper: false,
          origin: ORIGIN,
          edit: UNEDITED,
        },
        { folder, signal: never },
      )
      const { photo } = converted
      const read = readMotionPhoto(photo)
      if (!read?.clip || !read.exif?.thumbnail) throw new Error('the motion photo cannot be read back')
      const clip = photo.subarray(read.clip.offset, read.clip.offset + read.clip.length)
      return {
        ...converted,
        read,
        plan,
        path: await folder.write('photo.jpg', photo),
        clip: await folder.write('shown.mp4', clip),
        thumbnail: await folder.write('exif.jpg', read.exif.thumbnail),
      }
    },

    async thumbnail(prepared, frame, pixels = prepared.width) {
      const [path] = await thumbnails(prepared, [frame], pixels)
      if (path === undefined) throw new Error('no thumbnail was taken')
      return path
    },

    thumbnails,
  }

  async function thumbnails(prepared: Prepared, frames: readonly number[], width: number) {
    const frameOf = await servedFrames(prepared, dependencies.ffmpeg)
    const jpegs = await Promise.all(frames.map((frame) => frameOf(frame, width)))
    const folder = await workFolders.open()
    return Promise.all(jpegs.map((jpeg, index) => folder.write(`still${index}.jpg`, jpeg)))
  }
}

/** Fails where an input of ffmpeg has no list of the decoders that may read it. */
function withDecodersListed(ffmpeg: Ffmpeg): Ffmpeg {
  return {
    ...ffmpeg,
    run(task) {
      const inputs = task.args.join('\n').split('\n-i\n').slice(0, -1)
      for (const options of inputs) assert.match(options, /^-codec_whitelist\n[a-z]/m, task.args.join(' '))
      return ffmpeg.run(task)
    },
  }
}

/** A file as conversions take it. */
export async function materialOf(
  path: string,
): Promise<Omit<Parameters<typeof convertClip>[1]['original'], 'traits'>> {
  return { bytes: await openFileSource(path), path: async () => path }
}

async function headOf(path: string): Promise<Uint8Array> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(4096), 0, 4096, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/**
 * Expects a refusal, and that its words are fit for a client: a sentence, and nothing of this machine.
 * @returns status in HTTP and words
 */
export async function refusalOf(work: Promise<unknown>): Promise<{ status: number; detail: string }> {
  const error = await rejectedRefusal(work)
  assert.match(error.detail, /^([A-Z]|from |to ).{10,}\.$/, 'a sentence')
  assert.not.match(error.detail, /\/(tmp|usr|home|var|work)|ffmpeg|sharp|pipe:|file:|\.mp4|-i /)
  return { status: HTTP_STATUS[error.code], detail: error.detail }
}
