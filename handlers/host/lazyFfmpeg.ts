import type { Ffmpeg } from '#core/media/ports'

/**
 * An ffmpeg that is looked for when it is first needed: the functions that serve files have none, and the others can
 * receive an upload meanwhile. One that was not found is looked for again.
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
