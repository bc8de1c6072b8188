import { randomBytes } from 'node:crypto'
import { parseJson } from '@lantern-room/base/bytes'
import { clientKey, jsonObject, type Objects } from '../objects'
import { KINDS, NOTHING, type Totals } from './usage'

/**
 * What a client has used in a day: a log in the store, of which each entry holds the totals so far and can be created once, so that hosts
 * which add at the same time never lose an entry. Its keys count down, so that a listing begins with the newest.
 */

/** Below it are the logs, in folders by day. */
export const QUOTAS_PREFIX = 'quotas/'

/** Of a day; more are refused. */
const MAX_ENTRIES = 9_999_999

export type Entry = { readonly index: number; readonly totals: Totals }

const NO_ENTRY: Entry = { index: -1, totals: NOTHING }

/** So many entries of other hosts are read one by one; beyond that a listing is cheaper. */
const MAX_STEPS = 4

/** @param day such as `2026-03-04` */
export function folderOfDay(day: string, client: string): string {
  return `${QUOTAS_PREFIX}${day}/${clientKey(client)}/`
}

/**
 * Finds the newest entry of a log.
 * @param known an entry that is there
 */
export async function newestEntry(
  store: Pick<Objects, 'get' | 'list'>,
  folder: string,
  known: Entry | undefined,
): Promise<Entry> {
  let newest = known
  for (let step = 0; newest && step < MAX_STEPS; step += 1) {
    const next = await readEntry(store, folder, newest.index + 1)
    if (!next) return newest
    newest = next
  }
  for await (const { key } of store.list(folder)) {
    const index = MAX_ENTRIES - Number(key.slice(folder.length))
    return (await readEntry(store, folder, index)) ?? NO_ENTRY
  }
  return NO_ENTRY
}

/** Adds an entry behind another one. @returns undefined when another host has added one there meanwhile */
export async function addEntry(
  store: Pick<Objects, 'createBytes' | 'get'>,
  folder: string,
  last: Entry,
  totals: Totals,
): Promise<Entry | undefined> {
  const index = last.index + 1
  if (index > MAX_ENTRIES) throw new RangeError('The log of a day is full.')
  const mark = randomBytes(8).toString('hex')
  const key = keyOf(folder, index)
  const isOurs = async () => recordOf(await store.get(key))?.mark === mark
  // A repeated request, after a lost answer, is refused by the entry that it has created itself.
  const isAdded = (await store.createBytes(key, ...jsonObject({ ...totals, mark }))) || (await isOurs())
  return isAdded ? { index, totals } : undefined
}

async function readEntry(
  store: Pick<Objects, 'get'>,
  folder: string,
  index: number,
): Promise<Entry | undefined> {
  const record = recordOf(await store.get(keyOf(folder, index)))
  return record && { index, totals: record.totals }
}

function keyOf(folder: string, index: number): string {
  return `${folder}${String(MAX_ENTRIES - index).padStart(String(MAX_ENTRIES).length, '0')}`
}

function recordOf(
  bytes: Uint8Array | undefined,
): { readonly totals: Totals; readonly mark: unknown } | undefined {
  const json: unknown = bytes && parseJson(bytes)
  if (typeof json !== 'object' || json === null) return undefined
  const fields = new Map(Object.entries(json))
  const [photos, seconds, bytesUsed] = KINDS.map((kind) => Number(fields.get(kind)))
  const isWhole = [photos, seconds, bytesUsed].every((value) => Number.isFinite(value))
  if (!isWhole) return undefined
  const totals = { photos: photos ?? 0, seconds: seconds ?? 0, bytes: bytesUsed ?? 0 }
  return { totals, mark: fields.get('mark') }
}
