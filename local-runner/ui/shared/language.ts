import { type Language, preferredLanguage, textIn, type Words } from '@lantern-room/base'
import { effect, signal } from '@preact/signals'
import words from './words.json'

const KEY = 'language'

/** The language of the page, once `startPage` has read it. */
export const language = signal<Language>('en')

/**
 * Takes the language that was chosen here before, else the browser's, and keeps the document's language and title right.
 * @param title in the page's language
 */
export function startPage(title: () => string): void {
  language.value = preferredLanguage(localStorage.getItem(KEY), navigator.languages)
  effect(() => {
    document.documentElement.lang = language.value
    document.title = title()
  })
}

export function chooseLanguage(chosen: Language): void {
  localStorage.setItem(KEY, chosen)
  language.value = chosen
}

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
