import { signal } from '@preact/signals'
import type { Language } from './preferredLanguage'

/** The language of the page, once `followLanguage` has read it. */
export const language = signal<Language>('en')

/** English and Chinese of one text: a sentence, or a function that fills in a value. */
export type Words =
  | readonly [en: string, zh: string]
  | readonly [en: (value: string) => string, zh: (value: string) => string]
  | readonly [en: (value: number) => string, zh: (value: number) => string]

type Said<W extends Words> = W[0] extends string ? string : W[0]

/** Reads a table of texts in the page's language. A component that calls it is drawn again when the language changes. */
export function speak<Table extends Readonly<Record<string, Words>>>(table: Table) {
  return <Key extends keyof Table>(key: Key): Said<Table[Key]> =>
    table[key]?.[language.value === 'zh-CN' ? 1 : 0] as Said<Table[Key]>
}
