import type { MediaConfig } from './config'
import { type Converting, createMotionPhotoMaking } from './convert/convertClip'
import { createThumbnail } from './convert/thumbnail'
import type { Ffmpeg, WebpDecoder } from './ports'
import { createPreparing, type Preparing } from './prepare/preparePreview'

/** The work itself, without sessions. The command line has both halves; a function may have only one. */
export type MediaTools = { readonly preparing: Preparing; readonly converting: Converting }

type ToolSettings = Pick<MediaConfig, 'limits' | 'previewSize'>
type ToolMachine = { readonly ffmpeg: Ffmpeg; readonly webp: WebpDecoder }

export function createTools(config: ToolSettings, machine: ToolMachine, version: string): MediaTools {
  return {
    preparing: preparingTool(config, machine),
    converting: {
      motionPhoto: motionPhotoTool(config, machine, version),
      thumbnail: thumbnailTool(config, machine),
    },
  }
}

export function preparingTool({ limits, previewSize }: ToolSettings, machine: ToolMachine): Preparing {
  return createPreparing({
    ...machine,
    previewSize,
    maxInputSeconds: limits.maxInputSeconds,
    timeoutSeconds: limits.prepareTimeoutSeconds,
  })
}

export function motionPhotoTool(
  { limits }: Pick<ToolSettings, 'limits'>,
  machine: ToolMachine,
  version: string,
): Converting['motionPhoto'] {
  return createMotionPhotoMaking({
    ...machine,
    maxInputSeconds: limits.maxInputSeconds,
    timeoutSeconds: limits.convertTimeoutSeconds,
    software: `Lantern Room ${version}`,
  })
}

export function thumbnailTool(
  { limits }: Pick<ToolSettings, 'limits'>,
  { ffmpeg }: Pick<ToolMachine, 'ffmpeg'>,
): Converting['thumbnail'] {
  return createThumbnail({ ffmpeg, timeoutSeconds: limits.convertTimeoutSeconds })
}
