import type { LocalFile } from './ports'

/** A file that is checked out when its path is first asked for. `release` must be called once, when done. */
export type LazyFile = { path(): Promise<string>; release(): Promise<void> }

export function createLazyFile(checkOut: () => Promise<LocalFile>): LazyFile {
  let file: Promise<LocalFile> | undefined
  return {
    async path() {
      file ??= checkOut()
      return (await file).path
    },
    async release() {
      const opened = await file?.catch(() => undefined)
      await opened?.release()
    },
  }
}
