import { randomBytes } from 'node:crypto'
import type { ObjectHead, ObjectStore } from './ports'

/** The objects of one session or upload. */
export type Group = {
  readonly id: string
  readonly keys: readonly string[]
  /** When the newest of them was stored: Unix time in milliseconds. */
  readonly newestMs: number
}

/** What a sweep removes below a prefix. */
export type SweepRules = {
  readonly prefix: string
  /** The id in a key; objects with an undefined id are ignored. */
  readonly idOf: (key: string) => string | undefined
  /** Judges by the listing alone; `read` where only the record can tell. */
  readonly judge: (group: Group) => 'keep' | 'remove' | 'read'
  /** Reads the record. */
  readonly isOver: (id: string) => Promise<boolean>
}

/** Groups that are removed together: by a thousand keys a call. */
const BATCH = 1000
/** Records that are read at a time. */
const READS = 32

/**
 * Removes groups of objects. It begins at a random place and goes around, so that sweeps which are ended early, and those
 * of several hosts, reach everything in the end.
 * @param mayGoOn is asked before each group
 * @returns how many groups were removed
 */
export async function sweepGroups(
  store: Pick<ObjectStore, 'list' | 'delete'>,
  rules: SweepRules,
  mayGoOn: () => boolean,
): Promise<number> {
  let removed = 0
  let found: Group[] = []
  const clear = async () => {
    const garbage = await confirmed(found, rules)
    found = []
    const keys = garbage.flatMap((group) => group.keys)
    // The records go first: from then on the sessions do not exist, even if the rest fails.
    await store.delete(keys.filter(isRecord))
    await store.delete(keys.filter((key) => !isRecord(key)))
    removed += garbage.length
  }
  for await (const group of groupsAround(store, rules)) {
    if (!mayGoOn()) break
    if (rules.judge(group) !== 'keep') found.push(group)
    if (found.length === BATCH) await clear()
  }
  if (found.length > 0) await clear()
  return removed
}

function isRecord(key: string): boolean {
  return key.endsWith('.json')
}

async function confirmed(groups: readonly Group[], { judge, isOver }: SweepRules): Promise<Group[]> {
  const garbage: Group[] = []
  for (let first = 0; first < groups.length; first += READS)
    await Promise.all(
      groups.slice(first, first + READS).map(async (group) => {
        if (judge(group) === 'remove' || (await isOver(group.id))) garbage.push(group)
      }),
    )
  return garbage
}

async function* groupsAround(
  store: Pick<ObjectStore, 'list'>,
  { prefix, idOf }: SweepRules,
): AsyncGenerator<Group> {
  const start = prefix + randomBytes(16).toString('hex')
  yield* grouped(store.list(prefix, start), idOf)
  for await (const group of grouped(store.list(prefix), idOf)) {
    if (prefix + group.id > start) return
    yield group
  }
}

async function* grouped(
  objects: AsyncIterable<ObjectHead & { readonly key: string }>,
  idOf: SweepRules['idOf'],
): AsyncGenerator<Group> {
  let group: { id: string; keys: string[]; newestMs: number } | undefined
  for await (const { key, modifiedAt } of objects) {
    const id = idOf(key)
    if (id === undefined) continue
    if (group?.id !== id) {
      if (group) yield group
      group = { id, keys: [], newestMs: 0 }
    }
    group.keys.push(key)
    group.newestMs = Math.max(group.newestMs, modifiedAt.getTime())
  }
  if (group) yield group
}
