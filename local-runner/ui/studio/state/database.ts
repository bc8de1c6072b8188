/** What outlives the page: files and photos as they are, and what was being done with them. */

const NAME = 'studio'
const STORES = ['files', 'photos', 'work'] as const
type Store = (typeof STORES)[number]

let opening: Promise<IDBDatabase> | undefined

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(NAME, 1)
  request.onupgradeneeded = () => {
    for (const store of STORES) request.result.createObjectStore(store)
  }
  return resultOf(request)
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

async function storeOf(name: Store, mode: IDBTransactionMode): Promise<IDBObjectStore> {
  opening ??= open()
  return (await opening).transaction(name, mode).objectStore(name)
}

/** @throws DOMException where the browser keeps nothing, or has no room */
export async function put(store: Store, key: string, value: unknown): Promise<void> {
  await resultOf((await storeOf(store, 'readwrite')).put(value, key))
}

export async function get(store: Store, key: string): Promise<unknown> {
  return resultOf((await storeOf(store, 'readonly')).get(key))
}

/** Everything in a store, by its key. */
export async function entries(store: Store): Promise<readonly (readonly [key: string, value: unknown])[]> {
  const from = await storeOf(store, 'readonly')
  const [keys, values] = await Promise.all([resultOf(from.getAllKeys()), resultOf(from.getAll())])
  return keys.map((key, at) => [String(key), values[at]] as const)
}

/** Removes all but these. */
export async function keepOnly(store: Store, keys: ReadonlySet<string | undefined>): Promise<void> {
  const there = await resultOf((await storeOf(store, 'readonly')).getAllKeys())
  const over = there.filter((key) => !keys.has(String(key)))
  for (const key of over) await remove(store, key)
}

export async function remove(store: Store, key: IDBValidKey): Promise<void> {
  await resultOf((await storeOf(store, 'readwrite')).delete(key))
}
