/** The languages that people are spoken to in. */
export type Language = 'en' | 'zh-CN'

/** English and Chinese of one text, from a table of texts; names in braces stand for what is filled in. */
export type Words = readonly string[]

/** What is filled into a text, by the names that stand for it. */
export type Values = Readonly<Record<string, string | number>>

/**
 * The text in a language. A name in braces that has no value stays as it is.
 * @param words the English text, and the Chinese one unless the language is English
 * @param values what to fill in. @default nothing
 * @example textIn('en', ['{count} players'], { count: 3 }) // '3 players'
 */
export function textIn(language: Language, words: Words, values: Values = {}): string {
  const text = words[language === 'zh-CN' ? 1 : 0] ?? ''
  return text.replace(/\{(\w+)\}/g, (name, key) => String(values[key] ?? name))
}

/**
 * The language in which to speak to a user.
 * @param chosen what the user has chosen before, if anything
 * @param preferred language tags (BCP 47) of the browser or the system, the most wanted first
 * @returns English unless Chinese was chosen, or comes first of both
 * @example preferredLanguage(localStorage.getItem('language'), navigator.languages)
 */
export function preferredLanguage(chosen: string | null, preferred: readonly string[]): Language {
  if (chosen === 'en' || chosen === 'zh-CN') return chosen
  const known = preferred.find((tag) => /^(en|zh)\b/i.test(tag))
  return known !== undefined && /^zh\b/i.test(known) ? 'zh-CN' : 'en'
}
