/**
 * Untrusted text as one line that can be shown: without control characters, line breaks, bidirectional marks and
 * unpaired surrogates; trimmed; at most `maxCharacters` code points.
 * @example cleanText(' Alex\u0000\n', 64) // 'Alex'
 */
export function cleanText(text: string, maxCharacters: number): string {
  const clean = text.replace(UNPRINTABLE, '').trim()
  return clean.length <= maxCharacters ? clean : [...clean].slice(0, maxCharacters).join('').trim()
}

/**
 * Whether `cleanText` would leave every character in place.
 * @example isPrintable('Alex\n') // false
 */
export function isPrintable(text: string): boolean {
  return text.search(UNPRINTABLE) < 0
}

const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu
