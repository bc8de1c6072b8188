import { join } from 'node:path'
import { basename, dirname, extname } from 'node:path/posix'
import { withoutPhotoMark } from '@lantern-room/media/files'
import { partsOf, safeName, yearOf } from '@lantern-room/takeout'
import { foldedName } from '../batch/outputNames'
import type { AlbumChoice } from '../options/takeoutCommand'
import type { ExportEntry } from './exportEntry'
import type { Work } from './planTakeout'
import type { ExportWords } from './readWords'

/** Where a photo or video goes. */
export type Place = {
  readonly folder: string
  /** Folders that get a link to it. */
  readonly links: readonly string[]
  /** Keywords that it gets. */
  readonly keywords: readonly string[]
  /** Albums that its place does not tell. */
  readonly untold: readonly string[]
}

/** Albums of links lie apart from the years. */
const ALBUMS = 'Albums'
const UNDATED = 'undated'

/** @param out where all results go */
export function placeOf(
  { item, said, time, albums: listed }: Work,
  words: ExportWords,
  { out, albums: choice }: { readonly out: string; readonly albums: AlbumChoice },
): Place {
  const [first] = item.entries
  const folders = words.isExport ? item.entries.map((entry) => albumOf(entry, words)) : []
  const albums = [...new Set([...folders.flatMap((title) => title ?? []), ...listed])]
  const plain = words.isExport ? yearFolder(item.entries, said.takenMs ?? time?.unixMs) : inner(first)
  const at = (...names: string[]) => join(out, ...names.map(safeName))
  const home = join(out, ...plain.map(safeName))
  const [album, ...others] = albums
  if (album === undefined) return { folder: home, links: [], keywords: [], untold: [] }
  if (choice === 'folders') return { folder: at(album), links: [], keywords: [], untold: others }
  if (choice === 'keywords') return { folder: home, links: [], keywords: albums, untold: [] }
  return { folder: home, links: albums.map((title) => at(ALBUMS, title)), keywords: [], untold: [] }
}

function inner({ plain }: ExportEntry): readonly string[] {
  const folder = dirname(plain)
  return folder === '.' ? [] : folder.split('/')
}

/** The album of a folder that is not of a year, nor the one in which iCloud has all photos. */
function albumOf({ plain }: ExportEntry, words: ExportWords): string | undefined {
  const folder = dirname(plain)
  if (folder === '.' || /(?:^|\/)Photos$/i.test(folder)) return undefined
  const name = basename(folder)
  return yearOf(name) === undefined ? (words.titleOf(folder) ?? name) : undefined
}

function yearFolder(entries: readonly ExportEntry[], takenMs: number | undefined): readonly string[] {
  const year = entries
    .map(({ plain }) => yearOf(basename(dirname(plain))))
    .find((found) => found !== undefined)
  return [year ?? (takenMs === undefined ? UNDATED : String(new Date(takenMs).getUTCFullYear()))]
}

/** The name of a file that stays as it is; a clip without an ending gets one. */
export function copyName(plain: string, isVideo: boolean): string {
  const name = safeName(basename(plain))
  const { kind } = partsOf(name)
  return isVideo && (kind === 'clip' || kind === 'unnamed') ? `${name}.mp4` : name
}

/** The name of a photo and its clip in one. */
export function joinedName(plain: string, isHeic: boolean): string {
  const name = safeName(basename(plain))
  const stem = name.slice(0, name.length - extname(name).length)
  return `${withoutPhotoMark(stem)}_MP${isHeic ? '.HEIC' : '.jpg'}`
}

/** Names that are given once, without regard to case and accents. */
export function createNames() {
  const given = new Set<string>()
  return {
    /** The name itself, then with numbers, those that are free. They are given when they are taken. */
    *candidates(folder: string, name: string): Generator<{ readonly path: string; take(): void }, never> {
      const ending = extname(name)
      const stem = name.slice(0, name.length - ending.length)
      for (let number = 1; ; number += 1) {
        const path = join(folder, number === 1 ? name : `${stem}-${number}${ending}`)
        const key = foldedName(path)
        if (!given.has(key)) yield { path, take: () => void given.add(key) }
      }
    },
  }
}
