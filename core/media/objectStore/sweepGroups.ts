import { randomBytes } from 'node:crypto'
import type { ListedObject, ObjectStore } from './ports'

/** The objects of one session or upload. */
export type Group = {
  readonly id: string
  readonly keys: readonly string[]
  /** Those of objects without content. */
  readonly emptyKeys: readonly string[]
  /** When the newest of them was stored: Unix time in milliseconds. */
  readonly newestMs: number
}

/** What a sweep removes below a prefix. */
export type SweepRules = {
  readonly prefix: string
  /** The id in a key; objects with an undefined id are ignored. */
  readonly idOf: (key: string) => string | undefined
  readonly isOver: (group: Group) => boolean
  /** Is told of those that were removed, a batch at a time. @default nothing is done */
  readonly onRemoved?: ((groups: readonly Group[]) => void) | undefined
}

/** Groups that are removed together: by a thousand keys a call. */
const BATCH = 1000

/** Parts of all ids that are listed side by side. */
const LANES = 4

/**
 * Removes groups of objects. Each time it begins at other places and goes around, so that sweeps which are ended early, and
 * those of several hosts, reach everything in the end.
 * @param mayGoOn is asked before each group
 * @returns how many groups were removed
 */
export async function sweepGroups(
  store: Pick<ObjectStore, 'list' | 'delete'>,
  rules: SweepRules,
  mayGoOn: () => boolean,
): Promise<number> {
  let removed = 0
  const found: Group[] = []
  const clear = async () => {
    const garbage = found.splice(0)
    const keys = garbage.flatMap((group) => group.keys)
    // The records go first: from then on the sessions do not exist, even if the rest fails.
    await store.delete(keys.filter(isRecord))
    await store.delete(keys.filter((key) => !isRecord(key)))
    removed += garbage.length
    rules.onRemoved?.(garbage)
  }
  const points = randomPoints()
  const sweepLane = async (from: string, lane: number) => {
    for await (const group of groupsBetween(store, rules, from, points[lane + 1] ?? points[0] ?? from)) {
      if (!mayGoOn()) return
      if (rules.isOver(group)) found.push(group)
      if (found.length >= BATCH) await clear()
    }
  }
  await Promise.all(points.map(sweepLane))
  if (found.length > 0) await clear()
  return removed
}

/** The beginnings of ids at which lanes begin, at equal distances: the last one goes around to the first. */
function randomPoints(): readonly string[] {
  const first = Number.parseInt(randomBytes(4).toString('hex'), 16)
  const at = (lane: number) => (first + (lane * 2 ** 32) / LANES) % 2 ** 32
  return Array.from({ length: LANES }, (_, lane) => at(lane).toString(16).padStart(8, '0'))
}

function isRecord(key: string): boolean {
  return key.endsWith('.json')
}

/** Those whose id lies behind `from` and not behind `to`; around the end where `to` does not lie behind `from`. */
async function* groupsBetween(
  store: Pick<ObjectStore, 'list'>,
  { prefix, idOf }: SweepRules,
  from: string,
  to: string,
): AsyncGenerator<Group> {
  const goesAround = from >= to
  for await (const group of grouped(store.list(prefix, prefix + from), idOf)) {
    if (!goesAround && group.id > to) return
    yield group
  }
  if (!goesAround) return
  for await (const group of grouped(store.list(prefix), idOf)) {
    if (group.id > to) return
    yield group
  }
}

async function* grouped(
  objects: AsyncIterable<ListedObject>,
  idOf: SweepRules['idOf'],
): AsyncGenerator<Group> {
  let group: { id: string; keys: string[]; emptyKeys: string[]; newestMs: number } | undefined
  for await (const { key, size, modifiedAt } of objects) {
    const id = idOf(key)
    if (id === undefined) continue
    if (group?.id !== id) {
      if (group) yield group
      group = { id, keys: [], emptyKeys: [], newestMs: 0 }
    }
    group.keys.push(key)
    if (size === 0) group.emptyKeys.push(key)
    group.newestMs = Math.max(group.newestMs, modifiedAt.getTime())
  }
  if (group) yield group
}
