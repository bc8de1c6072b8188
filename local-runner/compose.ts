import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism, networkInterfaces } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import {
  createFfmpeg,
  createSharpWebp,
  type FfmpegLocation,
  locateFfmpeg,
} from '@lantern-room/adapters/ffmpeg'
import { createWorkFolders, openFileSource } from '@lantern-room/adapters/files'
import { receiveBody, receiveForm } from '@lantern-room/adapters/forms'
import { isOwnConnection, postText, reachableAddresses } from '@lantern-room/adapters/network'
import { createDiskObjectStore } from '@lantern-room/adapters/objectStore/disk'
import { killAllProcesses } from '@lantern-room/adapters/process'
import { createConsoleLog, createSystemClock, defaultDataFolder } from '@lantern-room/adapters/system'
import { ServiceError, version } from '@lantern-room/base'
import type { Environment } from '@lantern-room/base/settings'
import { unnamedToken } from '@lantern-room/clients'
import {
  type BucketSettings,
  createMediaApi,
  keptWarning,
  readMediaConfig,
  requireConditionalWrites,
} from '@lantern-room/media'

import type { MessageQueue, ObjectStore, WorkFolders } from '@lantern-room/media/ports'
import { createMediaMetrics } from './mediaMetrics'
import { QueueWorker } from './queueWorker'
import { page } from './ui/studio.page.html'

export { isOwnConnection, killAllProcesses, version }

/** Of this machine, as others in its network reach it. */
export const lanAddresses = () => reachableAddresses(networkInterfaces(), undefined)

export type LocalMedia = Awaited<ReturnType<typeof composeMedia>>

/**
 * The media API with its sessions on this machine's disk, or in a bucket where one is set.
 * @param host.installsFfmpeg where there is none and that is possible
 * @throws ConfigError; ServiceError `unavailable` when there is no ffmpeg, or the data folder or bucket cannot be written or
 * ignores conditions
 */
export async function composeMedia(
  env: Environment,
  host: {
    readonly stopping: AbortSignal
    readonly installsFfmpeg: boolean
    /** Accepted beside the configured tokens. */
    readonly tokenOfThisStart?: string | undefined
  },
) {
  const { stopping, installsFfmpeg, tokenOfThisStart } = host
  const config = readMediaConfig(env, unnamedToken(tokenOfThisStart))
  const dataFolder = resolve(config.dataDir ?? defaultDataFolder(env))
  const log = createConsoleLog({ level: config.logLevel })
  const ffmpeg = installsFfmpeg
    ? await locateOrInstallFfmpeg(config.ffmpegPath)
    : await locateFfmpeg(config.ffmpegPath)
  const workFolders = createWorkFolders({ folder: join(dataFolder, 'work') })
  const store = await (config.s3
    ? openBucket(config.s3, dataFolder, workFolders)
    : openDataFolder(dataFolder))
  const queue = config.queue && (await openQueue(config.queue.url))
  const figures = createMediaMetrics(log, ffmpeg)
  const dependencies = {
    store,
    metrics: figures.metrics,
    receiveForm,
    receiveBody,
    openFile: openFileSource,
    post: postText,
    queue,
    log,
    stopping,
    ffmpeg: createFfmpeg(ffmpeg),
    webp: createSharpWebp(),
    workFolders,
    clock: createSystemClock(),
    processors: availableParallelism(),
    page,
  }
  const api = createMediaApi(config, dependencies, version)
  await requireConditionalWrites(api.storeClock, config.s3, store)
  const kept = keptWarning(store)
  if (kept !== undefined) log.warn('the bucket keeps what is removed', { detail: kept })
  const { takeMessage: take, hasFreeSlot, storeClock: clock } = api
  const queueWorker = queue && take && new QueueWorker({ queue, take, hasFreeSlot, clock, log })
  return { ...api, queueWorker, config, log, figures, ffmpeg }
}

async function openDataFolder(dataFolder: string): Promise<ObjectStore> {
  const store = createDiskObjectStore({ folder: join(dataFolder, 'store') })
  await store.check().catch(cannotWrite(dataFolder))
  return store
}

/** The working files are in the data folder all the same. */
async function openBucket(
  bucket: BucketSettings,
  dataFolder: string,
  workFolders: WorkFolders,
): Promise<ObjectStore> {
  await workFolders.open().then((folder) => folder.dispose(), cannotWrite(dataFolder))
  // Loaded only when needed: the SDK takes longer to load than everything else.
  const { createS3ObjectStore } = await import('@lantern-room/adapters/objectStore/s3')
  const store = createS3ObjectStore({ ...bucket, folder: join(dataFolder, 'checked-out') })
  await store.check()
  return store
}

/** Loaded only when needed, as the bucket's. */
async function openQueue(url: string): Promise<MessageQueue> {
  const { sqsQueue } = await import('@lantern-room/adapters/objectStore/queue')
  return sqsQueue(url)
}

function cannotWrite(dataFolder: string): (cause: unknown) => never {
  return (cause) => {
    throw new ServiceError(
      'unavailable',
      `The data folder ${dataFolder} cannot be written. Give this user the right to, or set DATA_DIR to another folder.`,
      { cause },
    )
  }
}

/**
 * Locates an ffmpeg that works, and installs one when there is none and that is possible.
 * @param configured path that the user has set
 * @throws ServiceError `unavailable`
 */
export async function locateOrInstallFfmpeg(
  configured = process.env.FFMPEG_PATH || process.env.FFMPEG_BIN || undefined,
): Promise<FfmpegLocation> {
  const { env } = process
  const locate = () => locateFfmpeg(configured)
  const say = (line: string) => console.error(line)
  return configured === undefined ? await ensureFfmpeg(locate, { say, env }) : await locate()
}

/**
 * What `locate` finds. When it finds nothing and this is a Debian system, installs ffmpeg as root and locates it again.
 * @param options.say takes one line for the user
 * @throws what `locate` throws
 */
export async function ensureFfmpeg<T>(
  locate: () => Promise<T>,
  options: {
    readonly say: (line: string) => void
    readonly env: Environment
    readonly canInstall?: boolean
  },
): Promise<T> {
  const { say, env, canInstall = process.getuid?.() === 0 && existsSync('/etc/debian_version') } = options
  try {
    return await locate()
  } catch (error) {
    if (!canInstall) throw error
  }
  say('No ffmpeg was found. This is a Debian system and you are root: installing it by apt-get …')
  const aptGet = (...args: readonly string[]) =>
    promisify(execFile)('apt-get', [...WAITING, ...args], {
      env: { ...env, DEBIAN_FRONTEND: 'noninteractive' },
    }).catch((error) => say(String(error.stderr || error).trim()))
  // Without a network the lists of an earlier update may do.
  await aptGet('update', '-qq')
  await aptGet('install', '-y', '-qq', '--no-install-recommends', 'ffmpeg')
  const found = await locate()
  say('ffmpeg is installed.')
  return found
}

/** For other programs that install something at the same time. */
const WAITING = ['-o', 'DPkg::Lock::Timeout=60']
