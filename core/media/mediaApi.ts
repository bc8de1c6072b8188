import type { Log } from '../log'
import { type App, createMediaApp } from './app'
import type { MediaConfig } from './config'
import { createMediaService, type MediaService } from './mediaService'
import { logMetrics } from './metrics'
import type {
  Ffmpeg,
  Metrics,
  ObjectStore,
  ReceiveBody,
  ReceiveForm,
  WebpDecoder,
  WorkFolders,
} from './ports'
import { createSessions } from './sessions'
import type { MediaTools } from './tools'
import { createUploads } from './uploads/uploads'

/** Everything of the machine that the media API needs, and what the host decides. */
export type MediaMachine = {
  readonly store: ObjectStore
  readonly workFolders: WorkFolders
  readonly receiveForm: ReceiveForm
  readonly receiveBody: ReceiveBody
  readonly ffmpeg: Ffmpeg
  readonly webp: WebpDecoder
  readonly log: Log
  /** Without it the figures go to the log. */
  readonly metrics?: Metrics
  /** Unix time in milliseconds. */
  readonly now: () => number
  /** Aborts when the host stops. */
  readonly stopping: AbortSignal
}

export type MediaApi = {
  readonly app: App
  readonly service: MediaService
  /**
   * Removes expired sessions and uploads, and what was never finished; harmless beside running requests, here and on
   * other machines.
   * @returns how many of each went
   */
  sweep(): Promise<{ readonly sessions: number; readonly uploads: number }>
}

/**
 * Puts the media API together on a machine. Every host calls this with its own adapters.
 * @param tools may refuse what this host does not do
 */
export function createMediaApi(
  config: MediaConfig,
  machine: Omit<MediaMachine, 'webp'>,
  tools: MediaTools,
  version: string,
): MediaApi {
  const { limits, sessionTtlSeconds } = config
  const sessions = createSessions({ store: machine.store, ttlSeconds: sessionTtlSeconds, now: machine.now })
  const uploads = createUploads({ store: machine.store, now: machine.now, log: machine.log })
  const service = createMediaService({
    ...machine,
    uploads,
    metrics: machine.metrics ?? logMetrics(machine.log),
    sessions,
    limits,
    ...tools,
  })
  const app = createMediaApp({ service, config, version, now: machine.now, log: machine.log })
  const sweep = async () => ({ sessions: await sessions.sweep(), uploads: await uploads.sweep() })
  return { app, service, sweep }
}
