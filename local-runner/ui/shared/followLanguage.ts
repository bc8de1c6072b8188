import { effect } from '@preact/signals'
import { language } from './language'
import { type Language, preferredLanguage } from './preferredLanguage'

const KEY = 'language'

/** Takes the language that was chosen here before, else the browser's, and keeps the document's attribute right. */
export function followLanguage(): void {
  language.value = preferredLanguage(localStorage.getItem(KEY), navigator.languages)
  effect(() => {
    document.documentElement.lang = language.value
  })
}

export function chooseLanguage(chosen: Language): void {
  localStorage.setItem(KEY, chosen)
  language.value = chosen
}
