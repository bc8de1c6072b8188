import { createByteCache } from '../byteCache'
import type { MediaParts } from '../parts'
import type { PictureEdit } from '../pictureEdit'
import { inFolder } from '../ports'
import type { Session } from '../sessions/session'
import { withFiles } from '../sessions/sessionFiles'
import { type Cover, type CoverDependencies, takeCover } from './takeCover'

type CoversDependencies = CoverDependencies & Pick<MediaParts, 'sessions' | 'workFolders' | 'limits'>

export type Covers = ReturnType<typeof createCovers>

const CACHE_BYTES = 32 * 1024 * 1024

/**
 * A function that gives the cover of a frame of a session's preview; the most recently used covers are kept.
 * @returns the function. Its signal ends the wait; the work ends with the last one that waits for it, so that it has a folder of its
 *   own. It throws ServiceError as `takeCover`
 */
export function createCovers(dependencies: CoversDependencies) {
  const { sessions, workFolders, limits } = dependencies
  const timeoutMs = limits.convertTimeoutSeconds * 1000
  const kept = createByteCache<Cover>(CACHE_BYTES, ({ cover, thumbnail }) => cover.length + thumbnail.length)
  return (session: Session, frame: number, signal: AbortSignal, edit: PictureEdit) =>
    kept.get(
      `${session.id}/${frame}/${JSON.stringify([edit.crop, edit.rotate])}`,
      (shared) =>
        inFolder(workFolders, (folder) =>
          withFiles(sessions, session, ({ preview, original }) => {
            const materials = { preview, original: { ...original, traits: session.original } }
            return takeCover(dependencies, materials, frame, { folder, signal: shared, timeoutMs, edit })
          }),
        ),
      signal,
    )
}
