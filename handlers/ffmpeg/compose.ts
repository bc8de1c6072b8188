import { createFfmpeg } from '../../core/adapters/ffmpeg/ffmpeg'
import { locateFfmpeg } from '../../core/adapters/ffmpeg/ffmpegLocation'
import type { Ffmpeg } from '../../core/media/ports'
import { lazyFfmpeg } from '../host/lazyFfmpeg'

/** The ffmpeg of a function's layer, or the one that the settings name. */
export function findFfmpeg({ ffmpegPath }: { readonly ffmpegPath: string | undefined }): Ffmpeg {
  return lazyFfmpeg(async () => createFfmpeg(await locateFfmpeg({ configured: [ffmpegPath] })))
}
