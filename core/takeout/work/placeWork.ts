import { withoutPhotoMark } from '@lantern-room/media/browser'
import type { ExportEntry } from '../archives/exportEntry'
import { yearOf } from '../names/folders'
import { partsOf } from '../names/nameParts'
import { baseOf, endingOf, folderOf } from '../names/paths'
import { safeName } from '../names/safeName'
import type { ExportWords } from './exportWords'
import type { Work } from './planTakeout'

/** How albums are told: by the folders of the result, by links to it, or by keywords in the photos. */
export type AlbumChoice = 'folders' | 'links' | 'keywords'

/** A folder of the result, by the names of the folders that it is in and its own. */
export type Folder = readonly string[]

/** Where a photo or video goes. */
export type Place = {
  readonly folder: Folder
  /** Folders that get a link to it. */
  readonly links: readonly Folder[]
  /** Keywords that it gets. */
  readonly keywords: readonly string[]
  /** Albums that its place does not tell. */
  readonly untold: readonly string[]
}

/** Albums of links lie apart from the years. */
const ALBUMS = 'Albums'
const UNDATED = 'undated'

export function placeOf(work: Work, words: ExportWords, choice: AlbumChoice): Place {
  const { item, said, time } = work
  const [first] = item.entries
  const albums = albumsOf(work, words)
  const plain = words.isExport ? yearFolder(item.entries, said.takenMs ?? time?.unixMs) : inner(first)
  const at = (...names: string[]) => names.map(safeName)
  const home = plain.map(safeName)
  const [album, ...others] = albums
  if (album === undefined) return { folder: home, links: [], keywords: [], untold: [] }
  if (choice === 'folders') return { folder: at(album), links: [], keywords: [], untold: others }
  if (choice === 'keywords') return { folder: home, links: [], keywords: albums, untold: [] }
  return { folder: home, links: albums.map((title) => at(ALBUMS, title)), keywords: [], untold: [] }
}

/**
 * The titles of the albums that a photo or video is in.
 * @example const titles = works.flatMap((work) => albumsOf(work, found.words))
 */
export function albumsOf({ item, albums }: Work, words: ExportWords): readonly string[] {
  const folders = words.isExport ? item.entries.map((entry) => albumOf(entry, words)) : []
  return [...new Set([...folders.flatMap((title) => title ?? []), ...albums])]
}

function inner({ plain }: ExportEntry): readonly string[] {
  const folder = folderOf(plain)
  return folder === '.' ? [] : folder.split('/')
}

/** The album of a folder that is not of a year, nor the one in which iCloud has all photos. */
function albumOf({ plain }: ExportEntry, words: ExportWords): string | undefined {
  const folder = folderOf(plain)
  if (folder === '.' || /(?:^|\/)Photos$/i.test(folder)) return undefined
  const name = baseOf(folder)
  return yearOf(name) === undefined ? (words.titleOf(folder) ?? name) : undefined
}

function yearFolder(entries: readonly ExportEntry[], takenMs: number | undefined): readonly string[] {
  const year = entries
    .map(({ plain }) => yearOf(baseOf(folderOf(plain))))
    .find((found) => found !== undefined)
  return [year ?? (takenMs === undefined ? UNDATED : String(new Date(takenMs).getUTCFullYear()))]
}

/** The name of a file that stays as it is; a clip without an ending gets one. */
export function copyName(plain: string, isVideo: boolean): string {
  const name = safeName(baseOf(plain))
  const { kind } = partsOf(name)
  return isVideo && (kind === 'clip' || kind === 'unnamed') ? `${name}.mp4` : name
}

/** The name of a photo and its clip in one. */
export function joinedName(plain: string, isHeic: boolean): string {
  const name = safeName(baseOf(plain))
  const stem = name.slice(0, name.length - endingOf(name).length)
  return `${withoutPhotoMark(stem)}_MP${isHeic ? '.HEIC' : '.jpg'}`
}

/**
 * The names for a file in a folder: its own, then with numbers.
 * @example numbered('IMG_1.jpg').next().value // 'IMG_1.jpg'
 */
export function* numbered(name: string): Generator<string, never> {
  const ending = endingOf(name)
  const stem = name.slice(0, name.length - ending.length)
  yield name
  for (let number = 2; ; number += 1) yield `${stem}-${number}${ending}`
}
