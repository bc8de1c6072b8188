import { createByteCache } from '../byteCache'
import type { MediaParts } from '../parts'
import { type PictureEdit, UNEDITED } from '../pictureEdit'
import { inFolder } from '../ports'
import type { Session } from '../sessions/session'
import { withFiles } from '../sessions/sessionFiles'
import { type Cover, type CoverDependencies, takeCover } from './takeCover'

type CoversDependencies = CoverDependencies & Pick<MediaParts, 'sessions' | 'workFolders'>

export type Covers = ReturnType<typeof createCovers>

const CACHE_BYTES = 32 * 1024 * 1024

/** The covers of sessions, the most recently used of which are kept. */
export function createCovers(dependencies: CoversDependencies) {
  const kept = createByteCache<Cover>(CACHE_BYTES, ({ cover, thumbnail }) => cover.length + thumbnail.length)

  return {
    /**
     * @param frame of the preview
     * @param signal ends the wait; the work ends with the last one that waits for it
     * @throws ServiceError as `takeCover`
     */
    get: (session: Session, frame: number, signal: AbortSignal, edit: PictureEdit = UNEDITED) =>
      kept.get(
        `${session.id}/${frame}/${JSON.stringify([edit.crop, edit.rotate])}`,
        (shared) => coverOf(dependencies, session, { frame, edit }, shared),
        signal,
      ),
  }
}

/** In a folder of its own: the request that wants it first may end before it is made. */
async function coverOf(
  dependencies: CoversDependencies,
  session: Session,
  { frame, edit }: { readonly frame: number; readonly edit: PictureEdit },
  signal: AbortSignal,
): Promise<Cover> {
  const { sessions, workFolders, limits } = dependencies
  const timeoutMs = limits.convertTimeoutSeconds * 1000
  return inFolder(workFolders, (folder) =>
    withFiles(sessions, session, ({ preview, original }) => {
      const materials = { preview, original: { ...original, traits: session.original } }
      return takeCover(dependencies, materials, frame, { folder, signal, timeoutMs, edit })
    }),
  )
}
