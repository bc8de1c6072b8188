import { ServiceError } from '@lantern-room/base'
import { createRemembered } from '@lantern-room/base/async'
import type { MediaParts } from './parts'
import { inFolder } from './ports'

export type Readiness = ReturnType<typeof createReadiness>

const REMEMBERED_MS = 5000

/** Whether an upload could be prepared now. Remembered for a moment, so that frequent checks cost little. */
export function createReadiness(parts: Pick<MediaParts, 'store' | 'ffmpeg' | 'workFolders' | 'clock'>) {
  const { store, ffmpeg, workFolders, clock } = parts
  const found = createRemembered<{ readonly problem?: unknown }>(clock, REMEMBERED_MS, () =>
    Promise.all([
      ffmpeg.version(),
      store.check().catch(hideStorageError),
      inFolder(workFolders, (folder) => folder.write('check', new Uint8Array(1))),
    ]).then(
      () => ({}),
      (problem: unknown) => ({ problem }),
    ),
  )
  return {
    /**
     * Resolves when the store and ffmpeg work, and a working file can be written. Concurrent calls, and those in the following five
     * seconds, share one check.
     * @throws ServiceError `unavailable` or `timeout`
     */
    async check(): Promise<void> {
      const { problem } = await found.get()
      if (problem !== undefined) throw problem
    },
  }
}

/** A store's own message may hold the name of a bucket or a path: it is logged as the cause and not sent to clients. */
function hideStorageError(cause: unknown): never {
  const code = cause instanceof ServiceError && cause.code === 'timeout' ? 'timeout' : 'unavailable'
  throw new ServiceError(code, 'The storage does not work right now. Try again later.', { cause })
}
