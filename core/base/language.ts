/** The languages that people are spoken to in. */
export type Language = 'en' | 'zh-CN'

/** English and Chinese of one text, from a table of texts; names in braces stand for what is filled in. */
export type Words = readonly string[]

export type Values = Readonly<Record<string, string | number>>

export function textIn(language: Language, words: Words, values: Values = {}): string {
  const text = words[language === 'zh-CN' ? 1 : 0] ?? ''
  return text.replace(/\{(\w+)\}/g, (name, key) => String(values[key] ?? name))
}

/**
 * @param chosen what the user has chosen before, if anything
 * @param preferred language tags of the browser, the most wanted first
 */
export function preferredLanguage(chosen: string | null, preferred: readonly string[]): Language {
  if (chosen === 'en' || chosen === 'zh-CN') return chosen
  const known = preferred.find((tag) => /^(en|zh)\b/i.test(tag))
  return known !== undefined && /^zh\b/i.test(known) ? 'zh-CN' : 'en'
}
