import { effect } from '@preact/signals'
import { type ComponentChild, render } from 'preact'
import { type Language, language, preferredLanguage } from './language'

const KEY = 'language'

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

/** Puts the page's content in place of the frame that its HTML has. Both happen before the next paint, so nothing flashes. */
export function draw(content: ComponentChild): void {
  const root = document.getElementById('app')
  if (!root) return
  root.replaceChildren()
  render(content, root)
}
