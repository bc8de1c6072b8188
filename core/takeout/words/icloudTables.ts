import { NOTHING_SAID, type Said } from './said'

/** Those of large libraries come in parts of some megabytes. */
export const MAX_TABLE_BYTES = 64 * 1024 * 1024

/** A photo by its name in an iCloud download, and what the table says of it. */
export type TableRow = { readonly name: string; readonly said: Said; readonly isDeleted: boolean }

/**
 * Reads `Photo Details.csv`, in whatever order its columns are. Rows without a name are left out.
 * @returns undefined when it is no such table
 * @example readPhotoDetails('imgName,favorite\r\nIMG_1.HEIC,yes\r\n')?.[0]?.said.isFavourite // true
 */
export function readPhotoDetails(text: string): readonly TableRow[] | undefined {
  const [head, ...rows] = rowsOf(text)
  if (!head) return []
  const column = (name: string) => head.findIndex((title) => title.trim().toLowerCase() === name)
  const columns = {
    name: column('imgname'),
    favourite: column('favorite'),
    deleted: column('deleted'),
    created: column('originalcreationdate'),
  }
  if (columns.name < 0) return undefined
  return rows.flatMap((row): TableRow[] => {
    const name = row[columns.name]?.trim()
    if (!name) return []
    const said = {
      ...NOTHING_SAID,
      takenMs: timeOfTable(row[columns.created] ?? ''),
      isFavourite: isYes(row[columns.favourite]),
    }
    return [{ name, said, isDeleted: isYes(row[columns.deleted]) }]
  })
}

/**
 * The names of the photos of an album or a memory.
 * @example readAlbumTable('imgName\nIMG_1.HEIC\n') // ['IMG_1.HEIC']
 */
export function readAlbumTable(text: string): readonly string[] {
  const [, ...rows] = rowsOf(text)
  return rows.flatMap(([name = '']) => (name.trim() === '' ? [] : [name.trim()]))
}

function isYes(text: string | undefined): boolean {
  return /^(?:yes|true|1)$/i.test(text?.trim() ?? '')
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

/**
 * A time as Apple's tables have it: `Saturday June 4,2022 12:11 PM GMT`.
 * @returns Unix time in milliseconds; undefined of another text
 */
export function timeOfTable(text: string): number | undefined {
  const found =
    /^\s*(?:[a-z]+,?\s+)?([a-z]{3})[a-z]*\.?\s+(\d{1,2}),\s*(\d{4})\s+(?:at\s+)?(\d{1,2}):(\d\d)(?::(\d\d))?\s*([ap]m)?\s*(?:GMT|UTC)?\s*$/i.exec(
      text,
    )
  if (!found) return undefined
  const [, name = '', day, year, hour, minute, second = '0', half = ''] = found
  const month = MONTHS.indexOf(name.toLowerCase())
  const hours = half === '' ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0)
  const date = new Date(Date.UTC(Number(year), month, Number(day), hours, Number(minute), Number(second)))
  return month >= 0 && date.getUTCMonth() === month && hours < 24 ? date.getTime() : undefined
}

/** The fields of each row. @see RFC 4180 */
function rowsOf(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  const fields = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gy
  fields.lastIndex = text.startsWith('\ufeff') ? 1 : 0
  while (fields.lastIndex < text.length) {
    const found = fields.exec(text)
    // A quote inside a field: the rest cannot be told apart.
    if (!found) break
    row.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '')
    if (found[3] === ',') continue
    if (row.some((field) => field !== '')) rows.push(row)
    row = []
  }
  return rows
}
