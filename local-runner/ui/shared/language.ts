import { signal } from '@preact/signals'
import { type Language, textIn, type Words } from '#core/language'
import words from './words.json'

export { type Language, preferredLanguage } from '#core/language'

/** The language of the page, once `startPage` has read it. */
export const language = signal<Language>('en')

/**
 * Reads a table of texts in the page's language, with what stands for `{value}`. A component that calls it is drawn again when the
 * language changes.
 */
export function speak<Key extends string>(table: Readonly<Record<Key, Words>>) {
  return (key: Key, value?: string | number): string =>
    textIn(language.value, table[key], value === undefined ? {} : { value })
}

/** Texts of all pages. */
export const common = speak(words)
