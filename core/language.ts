/** The languages that people are spoken to in. */
export type Language = 'en' | 'zh-CN'

/** English and Chinese of one text: a sentence, or a function that fills in a value. */
export type Words =
  | readonly [en: string, zh: string]
  | readonly [en: (value: string) => string, zh: (value: string) => string]
  | readonly [en: (value: number) => string, zh: (value: number) => string]

/** A text that fills in a number. */
export const withNumber = (en: (value: number) => string, zh: (value: number) => string) => [en, zh] as const
/** A text that fills in another text. */
export const withText = (en: (value: string) => string, zh: (value: string) => string) => [en, zh] as const

/**
 * @param chosen what the user has chosen before, if anything
 * @param preferred language tags of the browser, the most wanted first
 */
export function preferredLanguage(chosen: string | null, preferred: readonly string[]): Language {
  if (chosen === 'en' || chosen === 'zh-CN') return chosen
  const known = preferred.find((tag) => /^(en|zh)\b/i.test(tag))
  return known !== undefined && /^zh\b/i.test(known) ? 'zh-CN' : 'en'
}
