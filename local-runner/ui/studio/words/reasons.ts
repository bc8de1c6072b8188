import type { ProblemCode } from '#core/formats/motionPhoto/inspect'
import type { Words } from '#core/language'
import { speak } from '../../shared/language'
import words from './reasons.json'

/** Why a gallery does not play a photo. Where the English one is empty, the service's own words say it. */
const reason = speak(words satisfies Readonly<Record<ProblemCode, Words>>)

/** @param problem of POST /inspect; a newer service may know more codes */
export function reasonOf({ code, detail }: { readonly code: string; readonly detail: string }): string {
  return isKnown(code) ? reason(code) || detail : detail
}

function isKnown(code: string): code is ProblemCode {
  return Object.hasOwn(words, code)
}
