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
