import type { Readable } from 'node:stream'
import type { ByteSource } from '#core/formats/source/byteSource'
import type { MediaLimits } from '#core/media/config'
import type { ConvertTask } from '#core/media/convert/convertClip'
import type { OutputFile } from '#core/media/convert/outputFiles'
import type { PhotoTools } from '#core/media/oneShot/photoOfFile'
import type { Animation } from '#core/media/photos/extractFile'
import type { WorkFolders } from '#core/media/ports'
import type { ClipChange } from '#core/media/trial/trialFiles'

/** What the command needs; compose.ts creates it. */
export type MotionPhotoDependencies = {
  readonly version: string
  /** Relative paths start from here. */
  readonly folder: string
  readonly terminal: { readonly canRedraw: boolean; readonly hasColour: boolean }
  /** Errors are shown with their causes. */
  readonly isDebugging: boolean
  readonly files: UserFiles
  /** @throws ConfigError */
  limits(): MediaLimits
  /** @throws ServiceError `unavailable` when there is no ffmpeg */
  openTools(): Promise<Tools>
  killAllProcesses(): void
}

export type Tools = PhotoTools & {
  readonly workFolders: WorkFolders
  /** Makes an animation of the clip at this path. @returns its bytes */
  animate(path: string, kind: Animation, signal: AbortSignal): Promise<Uint8Array>
  /** Changes one thing of a clip. @returns undefined when this ffmpeg cannot */
  changeClip(clip: Uint8Array, change: ClipChange, task: ConvertTask): Promise<Uint8Array | undefined>
}

/** The files that the user names. Every refusal is a `ServiceError` without the file's name. */
export type UserFiles = {
  /** A file that is read by range. */
  openPhoto(path: string): Promise<ByteSource>
  /** Unix time in milliseconds. */
  modificationTime(path: string): Promise<number>
  readInputHead(path: string, checkHead: CheckHead): Promise<void>
  saveStandardInput(
    stdin: Readable,
    options: {
      readonly path: string
      readonly maxBytes: number
      readonly checkHead: CheckHead
      readonly signal: AbortSignal
    },
  ): Promise<void>
  checkOutput(
    path: string,
    options: { readonly mayOverwrite: boolean; readonly input: string | undefined },
  ): Promise<void>
  /** Writes a file whole or not at all. */
  writeOutput(
    path: string,
    bytes: Uint8Array,
    options: {
      readonly mayOverwrite: boolean
      readonly signal: AbortSignal
      readonly modifiedMs?: number | undefined
    },
  ): Promise<void>
  /** Makes a folder, with those above it, where there is none. */
  makeFolder(path: string): Promise<void>
  /** The names of the files of a folder. @throws ServiceError `not-found` */
  listFiles(folder: string): Promise<readonly string[]>
  writeOutputFolder(
    path: string,
    files: Iterable<OutputFile>,
    options: { readonly signal: AbortSignal; readonly modifiedMs?: number | undefined },
  ): Promise<void>
}

type CheckHead = (head: Uint8Array) => void
