/** What clients' small objects need of the object store. Keys and errors are those of the store that is given. */
export type Objects = {
  putBytes(key: string, bytes: Uint8Array, options: { contentType: string }): Promise<void>
  /** Stores only where nothing is stored yet. @returns false when the key is taken; the old object stays. */
  createBytes(key: string, bytes: Uint8Array, options: { contentType: string }): Promise<boolean>
  get(key: string): Promise<Uint8Array | undefined>
  /** Every object whose key starts with `prefix`, in the order of keys; only those behind the key `after`, where there is one. */
  list(prefix: string, after?: string): AsyncIterable<{ readonly key: string }>
  delete(keys: readonly string[]): Promise<void>
}

/** @returns bytes of JSON, and the type that goes with them */
export function jsonObject(value: unknown): readonly [Uint8Array, { readonly contentType: string }] {
  return [new TextEncoder().encode(JSON.stringify(value)), { contentType: 'application/json' }]
}

/** A client's name as a part of keys: stores on some disks do not tell capitals from small letters. */
export function clientKey(name: string): string {
  return `c-${name.replaceAll(/[A-Z_]/g, (letter) => `_${letter.toLowerCase()}`)}`
}

/** The name that `clientKey` has written; undefined for anything else. */
export function clientInKey(part: string): string | undefined {
  if (!part.startsWith('c-')) return undefined
  return part.slice(2).replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())
}
