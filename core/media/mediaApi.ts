import { type App, createMediaApp } from './app'
import type { MediaConfig } from './config'
import { type Converting, createConverting } from './convert/converting'
import { createMediaService, type MediaService } from './mediaService'
import type { Ffmpeg, Log, ObjectStore, ReceiveForm, WebpDecoder, WorkFolders } from './ports'
import { createPreparing, type Preparing } from './prepare/preparing'
import { createSessions, type Sessions } from './sessions'

/** Everything of the machine that the media API needs, and what the host decides. */
export type MediaMachine = {
  readonly store: ObjectStore
  readonly workFolders: WorkFolders
  readonly receiveForm: ReceiveForm
  readonly ffmpeg: Ffmpeg
  readonly webp: WebpDecoder
  readonly log: Log
  /** Unix time in milliseconds. */
  readonly now: () => number
  /** Aborts when the host stops. */
  readonly stopping: AbortSignal
}

export type MediaApi = { readonly app: App; readonly service: MediaService; readonly sessions: Sessions }

/** Puts the media API together on a machine. Every host calls this with its own adapters. */
export function createMediaApi(config: MediaConfig, machine: MediaMachine, version: string): MediaApi {
  const { limits, sessionTtlSeconds } = config
  const sessions = createSessions({ store: machine.store, ttlSeconds: sessionTtlSeconds, now: machine.now })
  const service = createMediaService({
    ...machine,
    sessions,
    limits,
    ...createTools(config, machine, version),
  })
  const app = createMediaApp({ service, config, version, now: machine.now, log: machine.log })
  return { app, service, sessions }
}

/** The two halves of the work, which the command line uses without sessions. */
export function createTools(
  { limits, previewSize }: Pick<MediaConfig, 'limits' | 'previewSize'>,
  { ffmpeg, webp }: Pick<MediaMachine, 'ffmpeg' | 'webp'>,
  version: string,
): { preparing: Preparing; converting: Converting } {
  const { maxInputSeconds } = limits
  return {
    preparing: createPreparing({
      ...{ ffmpeg, webp, previewSize, maxInputSeconds },
      timeoutSeconds: limits.prepareTimeoutSeconds,
    }),
    converting: createConverting({
      ...{ ffmpeg, webp, maxInputSeconds },
      timeoutSeconds: limits.convertTimeoutSeconds,
      software: `Lantern Room ${version}`,
    }),
  }
}
