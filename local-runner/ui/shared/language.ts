import { effect, signal } from '@preact/signals'
import { type Language, preferredLanguage } from './preferredLanguage'

const KEY = 'language'

/** The language of the page: as chosen here before, else as the browser prefers. */
export const language = signal<Language>(preferredLanguage(localStorage.getItem(KEY), navigator.languages))

effect(() => {
  document.documentElement.lang = language.value
})

export function chooseLanguage(chosen: Language): void {
  localStorage.setItem(KEY, chosen)
  language.value = chosen
}

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
