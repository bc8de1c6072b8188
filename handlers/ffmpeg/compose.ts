import { createFfmpeg, locateFfmpeg } from '@lantern-room/adapters/ffmpeg'
import { createRemembered } from '@lantern-room/base/async'
import { readFfmpegVersion, versionWarning } from '@lantern-room/media'
import type { Ffmpeg } from '@lantern-room/media/ports'
import type { FunctionDependencies } from '../compose'

/**
 * The ffmpeg of a function's layer, or the one that the settings name. It is located when it is first needed, so that a function
 * can receive an upload before. A failed search is repeated the next time.
 */
export function findFfmpeg({ config, clock, log }: FunctionDependencies): Ffmpeg {
  const ffmpeg = createRemembered(clock, Number.POSITIVE_INFINITY, async () => {
    const found = await locateFfmpeg(config.ffmpegPath)
    const version = readFfmpegVersion(found.version)
    log.info('ffmpeg was found', { path: found.path, version: version.name })
    const warning = versionWarning(version)
    if (warning !== undefined) log.warn(warning)
    return createFfmpeg(found)
  })
  return {
    run: async (task) => (await ffmpeg.get()).run(task),
    version: async () => (await ffmpeg.get()).version(),
  }
}
