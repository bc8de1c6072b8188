import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createFfmpeg, createSharpWebp, locateFfmpeg } from '@lantern-room/adapters/ffmpeg'
import {
  checkFolder,
  checkOutput,
  commonMode,
  createWorkFolders,
  entryAt,
  linkOutput,
  listNames,
  makeOutputFolder,
  modificationTime,
  openFileSource,
  openKept,
  readInputHead,
  realPlace,
  removeUnpacked,
  saveStandardInput,
  sweepUnfinished,
  unpackDeflated,
  unpackGzip,
  writeOutput,
  writeOutputFolder,
  writeParts,
} from '@lantern-room/adapters/files'
import { killAllProcesses } from '@lantern-room/adapters/process'
import { createSystemClock } from '@lantern-room/adapters/system'
import { version } from '@lantern-room/base'
import { type Environment, removedSettings } from '@lantern-room/base/settings'
import { isBundleName, openBundle } from '@lantern-room/formats/files'
import { readMediaConfig } from '@lantern-room/media'
import { type Animation, animate } from '@lantern-room/media/apart'
import { convertClip, type PhotoTools, preparePreview, refusals } from '@lantern-room/media/make'
import type { WorkFolder } from '@lantern-room/media/ports'
import type { ByteSource } from '@lantern-room/mp4/source'

/** More than is needed to tell by its first bytes what a file is. */
const HEAD_BYTES = 4096

export type MotionPhotoDependencies = ReturnType<typeof composeCommandLine>
export type Tools = Awaited<ReturnType<typeof composeTools>>

/** The command `motion-photo`: the work of the API without sessions, for one file. */
export function composeCommandLine(env: Environment = process.env) {
  return {
    version,
    /** Relative paths start from here: npm runs scripts in the project's folder. */
    folder: (env.npm_lifecycle_event === 'motion-photo' ? env.INIT_CWD : undefined) || process.cwd(),
    terminal: { canRedraw: env.TERM !== 'dumb', hasColour: !env.NO_COLOR && env.TERM !== 'dumb' },
    /** Errors are shown with their causes. */
    isDebugging: env.LOG_LEVEL === 'debug',
    files: userFiles,
    /** @throws ConfigError */
    limits: () => readMediaConfig(env).limits,
    /** @throws ServiceError `unavailable` when there is no ffmpeg */
    openTools: () => composeTools(env),
    openSpool,
    killAllProcesses,
  }
}

/** A folder that is made when it is needed: beside the results, where there is room for them, or in the system's temporary folder. */
function openSpool(out: string | undefined) {
  let opened: Promise<WorkFolder> | undefined
  return {
    async path(): Promise<string> {
      opened ??= createWorkFolders({ folder: out ?? tmpdir(), prefix: '.motion-photo.' }).open()
      return dirname((await opened).path('file'))
    },
    async remove(): Promise<void> {
      await (await opened)?.dispose()
    },
  }
}

async function composeTools(env: Environment) {
  for (const sentence of removedSettings(env)) console.error(sentence)
  const config = readMediaConfig(env)
  const { path } = await locateFfmpeg(config.ffmpegPath)
  const dependencies = {
    ffmpeg: createFfmpeg({ path }),
    webp: createSharpWebp(),
    clock: createSystemClock(),
    limits: config.limits,
    previewSize: config.previewSize,
    processors: availableParallelism(),
    version,
  }
  const photos: PhotoTools = {
    preparePreview: (source, task) => preparePreview(dependencies, source, task),
    convertClip: (materials, settings, task) => convertClip(dependencies, materials, settings, task),
    openFile: userFiles.openPhoto,
  }
  return {
    ...photos,
    workFolders: createWorkFolders({ folder: tmpdir(), prefix: 'motion-photo.' }),
    animate: (path: string, kind: Animation, signal: AbortSignal) =>
      animate(dependencies, path, kind, signal),
  }
}

/**
 * The files of this machine, as the command `motion-photo` reads and writes them. Bundles of Live Photos (`.pvt`), which are
 * folders, are read as if they were ZIPs. Every refusal is a `ServiceError` without the file's name.
 */
export const userFiles = {
  openPhoto: async (path: string) => (await bundleAt(path)) ?? openFileSource(path),
  async readInputHead(path: string, checkHead: (head: Uint8Array) => void) {
    const bundle = await bundleAt(path)
    if (!bundle) return readInputHead(path, checkHead)
    checkHead(await bundle.read(0, Math.min(HEAD_BYTES, bundle.size)))
  },
  modificationTime,
  entryAt,
  realPlace,
  filesOf,
  commonMode,
  saveStandardInput,
  checkOutput,
  checkFolder,
  sweepUnfinished,
  writeOutput,
  writeOutputFolder,
  makeFolder: makeOutputFolder,
  listNames,
  openKept,
  unpackGzip,
  unpackDeflated,
  removeUnpacked,
  writeParts,
  linkOutput,
}

export type UserFiles = typeof userFiles

async function bundleAt(path: string): Promise<ByteSource | undefined> {
  const names = isBundleName(path) ? await listNames(path).catch(() => undefined) : undefined
  return names && refusals(openBundle(names.files, (name) => openFileSource(join(path, name))))
}

/** What must not be overwritten where these are read: the files themselves, and those in bundles. */
async function filesOf(paths: readonly string[]): Promise<string[]> {
  const files: string[] = []
  for (const path of paths) {
    const names = isBundleName(path) ? await listNames(path).catch(() => undefined) : undefined
    files.push(path, ...(names?.files ?? []).map((name) => join(path, name)))
  }
  return files
}
