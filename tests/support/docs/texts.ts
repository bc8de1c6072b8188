/** All texts in a table, however deep they lie. */
export function textsIn(one: unknown): readonly unknown[] {
  return typeof one === 'object' && one !== null ? Object.values(one).flatMap(textsIn) : [one]
}

/** Slang, names of settings, options, addresses of the API, and what only engineers know. */
const UNFIT =
  /开房|客人|没有成功|did not work|ROOM_[A-Z]|DATA_DIR|\B--[a-z]|\b(GET|POST|TCP|STUN) |\bTCP\b|\d bits/

/** The texts that are no words of players. */
export function unfitIn(...tables: readonly unknown[]): readonly unknown[] {
  return tables.flatMap((table) => textsIn(table)).filter((text) => UNFIT.test(String(text)))
}

/** The keys of texts that fill in other names in one language than in the other. Where one is empty, the service's own words are shown. */
export function unevenIn(
  ...tables: readonly Readonly<Record<string, readonly string[]>>[]
): readonly string[] {
  return tables.flatMap((table) =>
    Object.entries(table).flatMap(([key, [en = '', zh = '']]) =>
      en !== '' && zh !== '' && namesIn(en) !== namesIn(zh) ? [key] : [],
    ),
  )
}

function namesIn(text: string): string {
  return (text.match(/\{\w+\}/g) ?? []).sort().join()
}
