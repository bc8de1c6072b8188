import type { MediaLimits } from '#core/media/config'
import type { ConvertTask } from '#core/media/convert/convertClip'
import type { PhotoTools } from '#core/media/oneShot/photoOfFile'
import type { Animation } from '#core/media/photos/extractFile'
import type { WorkFolders } from '#core/media/ports'
import type { ClipChange } from '#core/media/trial/trialFiles'
import type { UserFiles } from './compose'

/** Dependencies of the command, created by compose.ts. */
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
