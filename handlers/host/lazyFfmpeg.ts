import type { Ffmpeg } from '#core/media/ports'

/**
 * An ffmpeg that is located when it is first needed, so that a function can receive an upload before. A failed search is
 * repeated the next time.
 */
export function lazyFfmpeg(find: () => Promise<Ffmpeg>): Ffmpeg {
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
