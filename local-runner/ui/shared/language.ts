import { signal } from '@preact/signals'
import type { Language, Words } from '#core/language'

export { type Language, preferredLanguage, type Words, withNumber, withText } from '#core/language'

/** The language of the page, once `startPage` has read it. */
export const language = signal<Language>('en')

type Said<W extends Words> = W[0] extends string ? string : W[0]

/** Reads a table of texts in the page's language. A component that calls it is drawn again when the language changes. */
export function speak<Table extends Readonly<Record<string, Words>>>(table: Table) {
  return <Key extends keyof Table>(key: Key): Said<Table[Key]> =>
    table[key]?.[language.value === 'zh-CN' ? 1 : 0] as Said<Table[Key]>
}
