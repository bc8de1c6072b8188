/** How records in the store name what the program has in camel case: `created_at`, and `null` for what is undefined. */

type CamelCase<Name> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name

/** The fields of a record as the program names them. */
export type Fields<Stored> = Stored extends null
  ? undefined
  : Stored extends object
    ? { readonly [Name in keyof Stored as CamelCase<Name>]: Fields<Stored[Name]> }
    : Stored

/** Turns a record, as its schema has read it, into the fields that it stands for. */
export function fieldsOf<Stored>(stored: Stored): Fields<Stored> {
  const camelCase = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  return renamed(stored, undefined, camelCase) as Fields<Stored>
}

/** The bytes of a record with these fields. */
export function encodeFields<Stored>(fields: Fields<Stored>): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(recordOf(fields)))
}

/** The record with these fields. */
export function recordOf<Stored>(fields: Fields<Stored>): Stored {
  const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return renamed(fields, null, snakeCase) as Stored
}

function renamed(value: unknown, absent: null | undefined, nameOf: (name: string) => string): unknown {
  if (value === null || value === undefined) return absent
  if (typeof value !== 'object') return value
  const entries = Object.entries(value)
  return Object.fromEntries(entries.map(([name, one]) => [nameOf(name), renamed(one, absent, nameOf)]))
}
