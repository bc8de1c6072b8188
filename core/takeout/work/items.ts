import { equalBytes } from '@lantern-room/base/bytes'
import { crc32 } from '@lantern-room/formats/browser'
import type { ByteSource } from '@lantern-room/mp4/source'
import { type ExportEntry, withEntry } from '../archives/exportEntry'
import { yearOf } from '../names/folders'
import { folderOf } from '../names/paths'
import type { Survey } from './surveyEntry'

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
    const list = alike.get(file.survey.likeness)
    if (list) list.push(file)
    else alike.set(file.survey.likeness, [file])
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

/** So many are compared with one another; of more, which may differ by their ends only, sums are compared first. */
const FEW = 4

async function groupsOf(list: readonly Surveyed[], signal: AbortSignal): Promise<Surveyed[][]> {
  if (list.length <= FEW) return equalOnes(list, signal)
  const bySum = new Map<number, Surveyed[]>()
  for (const file of list) {
    const sum = await withEntry(file.entry, 'parts', (source) => sumOf(source, signal))
    bySum.set(sum, [...(bySum.get(sum) ?? []), file])
  }
  const groups: Surveyed[][] = []
  for (const alike of bySum.values()) groups.push(...(await equalOnes(alike, signal)))
  return groups
}

async function equalOnes(list: readonly Surveyed[], signal: AbortSignal): Promise<Surveyed[][]> {
  const groups: [Surveyed, ...Surveyed[]][] = []
  for (const file of list) {
    let same: Surveyed[] | undefined
    for (const group of groups) if (await areEqual(group[0], file, signal)) same = group
    if (same) same.push(file)
    else groups.push([file])
  }
  return groups
}

function areEqual(one: Surveyed, other: Surveyed, signal: AbortSignal): Promise<boolean> {
  return withEntry(one.entry, 'parts', (a) =>
    withEntry(other.entry, 'parts', async (b) => {
      if (a.size !== b.size) return false
      for (const [start, end] of chunksOf(a, signal))
        if (!equalBytes(await a.read(start, end), await b.read(start, end))) return false
      return true
    }),
  )
}

async function sumOf(source: ByteSource, signal: AbortSignal): Promise<number> {
  let sum = 0
  for (const [start, end] of chunksOf(source, signal)) sum = crc32(await source.read(start, end), sum)
  return sum
}

const CHUNK_BYTES = 1024 * 1024

function* chunksOf({ size }: ByteSource, signal: AbortSignal): Generator<readonly [number, number]> {
  for (let at = 0; at < size; at += CHUNK_BYTES) {
    signal.throwIfAborted()
    yield [at, Math.min(size, at + CHUNK_BYTES)]
  }
}

/** Those in the folders of years come first: there is every photo of an account. */
function compare(one: ExportEntry, other: ExportEntry): number {
  const [a, b] = [one, other].map(({ plain }) => (yearOf(folderOf(plain)) === undefined ? 1 : 0))
  if (a !== b) return (a ?? 0) - (b ?? 0)
  return one.path < other.path ? -1 : 1
}
