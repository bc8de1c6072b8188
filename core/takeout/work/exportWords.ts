import { parseJson } from '@lantern-room/base/bytes'
import { type ExportEntry, withEntry } from '../archives/exportEntry'
import { tableOf, yearOf } from '../names/folders'
import { matchSideCars } from '../names/matchSideCars'
import { baseOf, folderOf } from '../names/paths'
import { folded } from '../names/spelling'
import { MAX_JSON_BYTES, readGoogleJson } from '../words/googleJson'
import { MAX_TABLE_BYTES, readAlbumTable, readPhotoDetails } from '../words/icloudTables'
import { joinSaid, NOTHING_SAID, type Said } from '../words/said'

/** What an export says of its photos beside them, and what became of the files that say it. */
export type ExportWords = {
  /** By the path of a photo inside the export's folder. */
  saidOf(media: ExportEntry): Said
  /** The titles of the albums that it is in. */
  albumsOf(media: ExportEntry): readonly string[]
  /** The title of an album that is a folder. */
  titleOf(folder: string): string | undefined
  /** Whether anything was found that only an export has. */
  readonly isExport: boolean
  /** Side-cars and tables: what became of each, with a reason where nothing did. */
  readonly outcomes: ReadonlyMap<ExportEntry, WordsOutcome>
}

export type WordsOutcome = { readonly status: 'metadata' | 'left' | 'refused'; readonly reason?: string }

type SideCar = {
  readonly entry: ExportEntry
  readonly title: string
  readonly said: Said
  readonly doubts: readonly string[]
}

/**
 * Reads the side-cars and tables of an export, and finds whose they are.
 * @param texts those files
 * @param media photos and videos
 * @throws the signal's reason
 */
export async function readExportWords(
  texts: readonly ExportEntry[],
  media: readonly ExportEntry[],
  signal: AbortSignal,
): Promise<ExportWords> {
  const outcomes = new Map<ExportEntry, WordsOutcome>()
  const sideCars = new Map<string, SideCar[]>()
  const titles = new Map<string, string>()
  const rows = new Map<string, Said>()
  const albums = new Map<string, string[]>()
  for (const entry of texts) {
    signal.throwIfAborted()
    outcomes.set(
      entry,
      await readText(entry).catch((error: unknown) => ({
        status: 'refused' as const,
        reason: error instanceof Error ? error.message : 'It cannot be read.',
      })),
    )
  }
  const found = assign(media, sideCars)
  for (const all of sideCars.values())
    for (const sideCar of all) outcomes.set(sideCar.entry, outcomeOf(sideCar, found.used.has(sideCar)))
  const isOfYear = ({ plain }: ExportEntry) => yearOf(baseOf(folderOf(plain))) !== undefined
  const isExport =
    sideCars.size > 0 || titles.size > 0 || rows.size > 0 || albums.size > 0 || media.some(isOfYear)
  return {
    saidOf: (entry) =>
      joinSaid(
        found.sideCars.get(entry)?.said ?? NOTHING_SAID,
        rows.get(folded(baseOf(entry.plain))) ?? NOTHING_SAID,
      ),
    albumsOf: (entry) => albums.get(folded(baseOf(entry.plain))) ?? [],
    titleOf: (folder) => titles.get(folder),
    isExport,
    outcomes,
  }

  async function readText(entry: ExportEntry): Promise<WordsOutcome> {
    const table = tableOf(entry.plain)
    const isTable = /\.csv$/i.test(entry.plain)
    if (isTable && !table) return { status: 'left', reason: 'no table of photos' }
    const most = isTable ? MAX_TABLE_BYTES : MAX_JSON_BYTES
    if (entry.size > most)
      return { status: 'refused', reason: `It is larger than ${most} bytes, which no such file is.` }
    const text = await withEntry(entry, 'whole', async (source) =>
      new TextDecoder().decode(await source.read(0, source.size)),
    )
    if (table?.kind === 'album') return addAlbum(table.title, readAlbumTable(text))
    if (table) return addRows(text)
    return addJson(entry, text)
  }

  function addAlbum(title: string, names: readonly string[]): WordsOutcome {
    for (const name of names) albums.set(folded(name), [...(albums.get(folded(name)) ?? []), title])
    return { status: 'metadata' }
  }

  function addRows(text: string): WordsOutcome {
    const read = readPhotoDetails(text)
    if (!read) return { status: 'refused', reason: 'It has no column imgName.' }
    for (const { name, said } of read)
      rows.set(folded(name), joinSaid(rows.get(folded(name)) ?? NOTHING_SAID, said))
    return { status: 'metadata' }
  }

  function addJson(entry: ExportEntry, text: string): WordsOutcome {
    const json = readGoogleJson(text)
    const folder = folderOf(entry.plain)
    if (!json)
      return parseJson(text) === undefined
        ? { status: 'refused', reason: 'It is no JSON.' }
        : { status: 'left', reason: 'it says nothing of a photo' }
    if (json.kind === 'album') {
      if (json.title !== '') titles.set(folder, json.title)
      return { status: 'metadata' }
    }
    const sideCar = { entry, title: json.title, said: json.said, doubts: json.doubts }
    const list = sideCars.get(folder)
    if (list) list.push(sideCar)
    else sideCars.set(folder, [sideCar])
    return { status: 'metadata' }
  }
}

function outcomeOf({ doubts }: SideCar, isUsed: boolean): WordsOutcome {
  const reason = doubts.length > 0 ? `Not taken: ${doubts.join(', ')}.` : undefined
  if (isUsed) return reason === undefined ? { status: 'metadata' } : { status: 'metadata', reason }
  return { status: 'left', reason: 'its photo is not in the export' }
}

/** The side-cars of all media, folder by folder. */
function assign(media: readonly ExportEntry[], sideCars: ReadonlyMap<string, readonly SideCar[]>) {
  const found = new Map<ExportEntry, SideCar>()
  const used = new Set<SideCar>()
  for (const [folder, entries] of byFolderOf(media)) {
    const cars = sideCars.get(folder) ?? []
    const byName = new Map<string, SideCar[]>()
    for (const car of cars) byName.set(nameOf(car.entry), [...(byName.get(nameOf(car.entry)) ?? []), car])
    const named = [...byName].map(([name, [first]]) => ({ name, title: first?.title }))
    const matched = matchSideCars([...new Set(entries.map(nameOf))], named)
    for (const entry of entries) {
      // Those of one name, from several parts, are one.
      const same = byName.get(matched.get(nameOf(entry)) ?? '') ?? []
      if (same[0]) found.set(entry, same[0])
      for (const car of same) used.add(car)
    }
  }
  return { sideCars: found, used }
}

function nameOf({ plain }: ExportEntry): string {
  return baseOf(plain)
}

function byFolderOf(media: readonly ExportEntry[]): ReadonlyMap<string, readonly ExportEntry[]> {
  const byFolder = new Map<string, ExportEntry[]>()
  for (const entry of media) {
    const list = byFolder.get(folderOf(entry.plain))
    if (list) list.push(entry)
    else byFolder.set(folderOf(entry.plain), [entry])
  }
  return byFolder
}
