import { createFfmpeg } from '../../core/adapters/ffmpeg/ffmpeg'
import { locateFfmpeg } from '../../core/adapters/ffmpeg/ffmpegLocation'
import { readFfmpegVersion, versionWarning } from '../../core/media/ffmpeg/ffmpegVersion'
import type { Ffmpeg } from '../../core/media/ports'
import type { FunctionDependencies } from '../compose'

/** The ffmpeg of a function's layer, or the one that the settings name. */
export function findFfmpeg({ ffmpegPath, log }: FunctionDependencies): Ffmpeg {
  return lazyFfmpeg(async () => {
    const found = await locateFfmpeg({ configured: [ffmpegPath] })
    const version = readFfmpegVersion(found.version)
    log.info('ffmpeg was found', { path: found.path, version: version.name })
    const warning = versionWarning(version)
    if (warning !== undefined) log.warn(warning)
    return createFfmpeg(found)
  })
}

/**
 * An ffmpeg that is located when it is first needed, so that a function can receive an upload before. A failed search is
 * repeated the next time.
 */
function lazyFfmpeg(find: () => Promise<Ffmpeg>): Ffmpeg {
  let found: Promise<Ffmpeg> | undefined
  const ffmpeg = () => {
    found ??= find().catch((error: unknown) => {
      found = undefined
      throw error
    })
    return found
  }
  return {
    run: async (task) => (await ffmpeg()).run(task),
    version: async () => (await ffmpeg()).version(),
  }
}
