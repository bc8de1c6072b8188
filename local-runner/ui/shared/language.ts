import { signal } from '@preact/signals'

/** The language of the page, once `startPage` has read it. */
export const language = signal<Language>('en')

/** English and Chinese of one text: a sentence, or a function that fills in a value. */
export type Words =
  | readonly [en: string, zh: string]
  | readonly [en: (value: string) => string, zh: (value: string) => string]
  | readonly [en: (value: number) => string, zh: (value: number) => string]

/** A text that fills in a number. */
export const withNumber = (en: (value: number) => string, zh: (value: number) => string) => [en, zh] as const
/** A text that fills in another text. */
export const withText = (en: (value: string) => string, zh: (value: string) => string) => [en, zh] as const

type Said<W extends Words> = W[0] extends string ? string : W[0]

/** Reads a table of texts in the page's language. A component that calls it is drawn again when the language changes. */
export function speak<Table extends Readonly<Record<string, Words>>>(table: Table) {
  return <Key extends keyof Table>(key: Key): Said<Table[Key]> =>
    table[key]?.[language.value === 'zh-CN' ? 1 : 0] as Said<Table[Key]>
}

export type Language = 'en' | 'zh-CN'

/**
 * @param chosen what the user has chosen before, if anything
 * @param preferred language tags of the browser, the most wanted first
 */
export function preferredLanguage(chosen: string | null, preferred: readonly string[]): Language {
  if (chosen === 'en' || chosen === 'zh-CN') return chosen
  const known = preferred.find((tag) => /^(en|zh)\b/i.test(tag))
  return known !== undefined && /^zh\b/i.test(known) ? 'zh-CN' : 'en'
}
