/** What clients' small objects need of the object store. Keys and errors are those of the store that is given. */
export type Objects = {
  putBytes(key: string, bytes: Uint8Array, options: { contentType: string }): Promise<void>
  /** Stores only where nothing is stored yet. @returns false when the key is taken; the old object stays. */
  createBytes(key: string, bytes: Uint8Array, options: { contentType: string }): Promise<boolean>
  get(key: string): Promise<Uint8Array | undefined>
  /** Every object whose key starts with `prefix`, in the order of keys. */
  list(prefix: string): AsyncIterable<{ readonly key: string }>
  delete(keys: readonly string[]): Promise<void>
}

/** @returns bytes of JSON, and the type that goes with them */
export function jsonObject(value: unknown): readonly [Uint8Array, { readonly contentType: string }] {
  return [new TextEncoder().encode(JSON.stringify(value)), { contentType: 'application/json' }]
}
