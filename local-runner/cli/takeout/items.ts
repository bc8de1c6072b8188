import { dirname } from 'node:path/posix'
import { yearOf } from '@lantern-room/takeout'
import { type ExportEntry, withEntry } from './exportEntry'
import { digestOf, type Survey } from './surveyEntry'

/** A file of an export with all its copies: equal bytes are one. */
export type Item = {
  /** The first one is what is read. */
  readonly entries: readonly [ExportEntry, ...ExportEntry[]]
  readonly survey: Survey
}

export type Surveyed = { readonly entry: ExportEntry; readonly survey: Survey }

/**
 * Puts equal files together: those of equal size and first bytes are compared whole.
 * @returns in the order of their paths
 */
export async function itemsOf(files: readonly Surveyed[], signal: AbortSignal): Promise<readonly Item[]> {
  const alike = new Map<string, Surveyed[]>()
  for (const file of files) {
    const list = alike.get(file.survey.digest)
    if (list) list.push(file)
    else alike.set(file.survey.digest, [file])
  }
  const items: Item[] = []
  for (const list of alike.values()) {
    const groups = list.length === 1 ? [list] : await groupsOf(list, signal)
    for (const group of groups) {
      const [first, ...others] = group.sort((one, other) => compare(one.entry, other.entry))
      if (first)
        items.push({ entries: [first.entry, ...others.map(({ entry }) => entry)], survey: first.survey })
    }
  }
  return items.sort((one, other) => compare(one.entries[0], other.entries[0]))
}

async function groupsOf(list: readonly Surveyed[], signal: AbortSignal): Promise<Surveyed[][]> {
  const groups = new Map<string, Surveyed[]>()
  for (const file of list) {
    const digest = await withEntry(file.entry, 'parts', (source) => digestOf(source, signal))
    groups.set(digest, [...(groups.get(digest) ?? []), file])
  }
  return [...groups.values()]
}

/** Those in the folders of years come first: there is every photo of an account. */
function compare(one: ExportEntry, other: ExportEntry): number {
  const [a, b] = [one, other].map(({ plain }) => (yearOf(dirname(plain)) === undefined ? 1 : 0))
  if (a !== b) return (a ?? 0) - (b ?? 0)
  return one.path < other.path ? -1 : 1
}
