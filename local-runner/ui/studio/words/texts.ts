import { textIn, type Words } from '@lantern-room/base'
import type { Gallery } from '@lantern-room/formats/browser'
import { signal } from '@preact/signals'
import { language, speak } from '../../shared/language'
import editing from './editing.json'
import results from './results.json'
import page from './words.json'

const words = { ...page, ...editing, ...results }

/** Every text of the studio, with the names of the galleries by the ids that the API uses. */
export const say = speak(words satisfies Readonly<Record<Gallery, Words>>)

/** The text of a name that the service gives something; undefined for one that only a newer service knows. */
export function sayKnown(name: string): string | undefined {
  return Object.hasOwn(words, name) ? say(name as keyof typeof words) : undefined
}

/** Why galleries do not play a photo, by the codes of what is wrong: once the worker, which judges photos, has told these words. */
export const reasons = signal<Readonly<Record<string, Words>>>({})

/** @param problem of POST /inspect; of a code that only a newer service knows, its own words are told, and where the English ones are empty */
export function reasonOf({ code, detail }: { readonly code: string; readonly detail: string }): string {
  const words = Object.hasOwn(reasons.value, code) ? reasons.value[code] : undefined
  return (words && textIn(language.value, words)) || detail
}
