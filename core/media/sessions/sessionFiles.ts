import type { LocalFile } from '../objectStore/ports'
import type { Session } from './session'
import type { Sessions } from './sessions'

/** The paths of a session's files, which are checked out when they are first asked for. */
export type SessionFiles = {
  preview(): Promise<string>
  original(): Promise<string>
  /** Must be called once, when done. */
  release(): Promise<void>
}

export function openSessionFiles(
  sessions: Pick<Sessions, 'checkOutOriginal' | 'checkOutPreview'>,
  session: Session,
): SessionFiles {
  const preview = createLazyFile(() => sessions.checkOutPreview(session))
  const original = createLazyFile(() => sessions.checkOutOriginal(session))
  return {
    preview: preview.path,
    original: original.path,
    release: () => original.release().finally(() => preview.release()),
  }
}

/** A file that is checked out when its path is first asked for. `release` must be called once, when done. */
function createLazyFile(checkOut: () => Promise<LocalFile>) {
  let file: Promise<LocalFile> | undefined
  return {
    async path(): Promise<string> {
      file ??= checkOut()
      return (await file).path
    },
    async release(): Promise<void> {
      const opened = await file?.catch(() => undefined)
      await opened?.release()
    },
  }
}
