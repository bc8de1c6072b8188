import { film, type MediaFolder, mediaFolderOfSuite } from '#support/media/media'
import { type Host, startNodeHost } from '../hosts/hosts'
import { suite } from '../runner/suite'
import { browserPath, type OpenPage, WHY_NO_BROWSER } from './browser'
import { browserOfSuite } from './browserOfSuite'

/** A suite with a browser, a service, and a film of so many seconds. @param name of the film; `more` are ffmpeg's arguments after it */
export async function studioSuite(
  title: string,
  [name, size, seconds, sound, more = []]: readonly [
    name: string,
    size: string,
    seconds: number,
    sound?: 'sound',
    more?: readonly string[],
  ],
) {
  const test = suite(title, { timeoutMs: 400_000 })
  const media = await mediaFolderOfSuite()
  const video = await media.make(name, [...film(size, seconds, sound), ...more])
  const { open, closing } = browserOfSuite(test)
  let host: Host | undefined
  test.before(async () => {
    if (browserPath) host = await startNodeHost()
  })
  test.after(() => host?.stop())
  return {
    test,
    inBrowser: test.skipUnless(browserPath, WHY_NO_BROWSER),
    media,
    video,
    open,
    closing,
    host: () => {
      if (!host) throw new Error('The service is not started.')
      return host
    },
  }
}

/** Does what saves a file. @returns its path, below the folder */
export async function savedBy(
  media: MediaFolder,
  page: OpenPage,
  press: () => Promise<unknown>,
): Promise<string> {
  const begun = page.waitForEvent('download')
  await press()
  const download = await begun
  const path = media.path(download.suggestedFilename())
  await download.saveAs(path)
  return path
}

/** The frames of start, cover and end. */
export async function cutOf(page: OpenPage): Promise<number[]> {
  const slider = (name: string) => page.getByRole('slider', { name, exact: true })
  const values = ['Start', 'Cover', 'End'].map((name) => slider(name).getAttribute('aria-valuenow'))
  return (await Promise.all(values)).map(Number)
}

/** A file of a work that the browser keeps, with the ids of its photos and of a cover of its own. */
type KeptFile = {
  readonly name: string
  readonly photos: readonly string[]
  readonly cut?: { readonly start: number; readonly end: number }
  readonly cover?: string
}

const KEPT = `new Promise((resolve, reject) => {
  const request = indexedDB.open('studio', 1)
  request.onerror = reject
  request.onsuccess = () => {
    const all = request.result.transaction('work').objectStore('work').getAll()
    all.onsuccess = () => {
      request.result.close()
      resolve(all.result.map(({ files }) => files.map(({ name, photos, cut, cover }) => ({ name, photos, cut, cover }))))
    }
  }
})`

/** The files of each work that the browser keeps for after a reload. */
export function keptFiles(page: OpenPage): Promise<readonly (readonly KeptFile[])[]> {
  return page.evaluate<readonly (readonly KeptFile[])[]>(KEPT)
}
