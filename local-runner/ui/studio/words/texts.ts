import type { Words } from '@lantern-room/base'
import type { Gallery, ProblemCode } from '@lantern-room/formats/browser'
import { speak } from '../../shared/language'
import editing from './editing.json'
import reasons from './reasons.json'
import results from './results.json'
import page from './words.json'

const words = { ...page, ...editing, ...results }

/** Every text of the studio, with the names of the galleries by the ids that the API uses. */
export const say = speak(words satisfies Readonly<Record<Gallery, Words>>)

/** The text of a name that the service gives something; undefined for one that only a newer service knows. */
export function sayKnown(name: string): string | undefined {
  return Object.hasOwn(words, name) ? say(name as keyof typeof words) : undefined
}

/** Why a gallery does not play a photo. Where the English one is empty, the service's own words say it. */
const reason = speak(reasons satisfies Readonly<Record<ProblemCode, Words>>)

/** @param problem of POST /inspect; a newer service may know more codes */
export function reasonOf({ code, detail }: { readonly code: string; readonly detail: string }): string {
  return (Object.hasOwn(reasons, code) && reason(code as ProblemCode)) || detail
}
