import { rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createFfmpeg, createSharpWebp } from '@lantern-room/adapters/ffmpeg'
import { createWorkFolders, openFileSource } from '@lantern-room/adapters/files'
import { receiveBody, receiveForm } from '@lantern-room/adapters/forms'
import { postText } from '@lantern-room/adapters/network'
import { createDiskObjectStore } from '@lantern-room/adapters/objectStore/disk'
import { createSystemClock } from '@lantern-room/adapters/system'
import {
  createMediaApi,
  logMetrics,
  type MediaApi,
  type MediaConfig,
  type MediaDependencies,
  readMediaConfig,
} from '@lantern-room/media'
import type { ObjectStore } from '@lantern-room/media/ports'
import { makeTempFolder } from '#support/process/tempFolder'
import { ffmpegPath } from '../media/media'
import type { Settings } from '../process/serverProcess'
import { laterStore } from '../store/laterStore'
import type { Host } from './hosts'

export type LogEntry = { readonly level: string; readonly message: string } & Readonly<
  Record<string, unknown>
>

/** The app itself, called without any server, on temporary folders and with a clock that can be set. */
export type DirectHost = Host &
  MediaApi & {
    readonly store: ObjectStore
    readonly log: readonly LogEntry[]
    /** Lets time pass, for the machine and for the store. @param ms milliseconds */
    wait(ms: number): void
  }

export type DirectOptions = {
  /** Changes what the settings cannot say. */
  readonly configure?: (config: MediaConfig) => MediaConfig
  /** Takes the place of a part of the machine. */
  readonly machine?: (machine: MediaDependencies) => Partial<MediaDependencies>
}

export async function startDirectHost(
  settings: Settings = {},
  { configure = (config) => config, machine = () => ({}) }: DirectOptions = {},
): Promise<DirectHost> {
  const dataDir = await makeTempFolder('lantern-direct')
  const store = createDiskObjectStore({ folder: join(dataDir, 'store') })
  const log: LogEntry[] = []
  const { signal: stopping } = new AbortController()
  const entry = (level: string) => (message: string, fields?: Record<string, unknown>) =>
    void log.push({ ...fields, level, message })
  const clock = createSystemClock()
  let waitedMs = 0
  const version = '1.2.3-test'
  const logged = {
    debug: entry('debug'),
    info: entry('info'),
    warn: entry('warn'),
    error: entry('error'),
  }
  const real: MediaDependencies = {
    store,
    receiveForm,
    receiveBody,
    openFile: openFileSource,
    post: postText,
    clock: { ...clock, now: () => clock.now() + waitedMs, unixTime: () => Date.now() + waitedMs },
    ffmpeg: createFfmpeg({ path: ffmpegPath }),
    webp: createSharpWebp(),
    workFolders: createWorkFolders({ folder: join(dataDir, 'work') }),
    processors: availableParallelism(),
    log: logged,
    metrics: logMetrics(logged),
    stopping,
  }
  const config = configure(readMediaConfig(settings))
  const given = { ...real, ...machine(real) }
  const whole = { ...given, store: laterStore(given.store, () => waitedMs) }
  const api = createMediaApi(config, whole, version)
  const url = 'http://media.test'
  return {
    ...api,
    url,
    dataDir,
    store,
    log,
    wait: (ms) => {
      waitedMs += ms
    },
    send: (path, init) => api.app(new Request(`${url}${path}`, init)),
    stop: () => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }),
  }
}
