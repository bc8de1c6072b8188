import { textIn } from '#core/language'
import chinese from './chinese.json'

// Chinese texts of what the service words in English, by code. That none is missing is checked where a code is looked up.

/** The sentence and the remedy. */
export const FAILURES_IN_CHINESE = chinese.failures

export const CODE_PROBLEMS_IN_CHINESE = chinese.codeProblems

/** Texts of a room that is waiting for its player or for another one. */
export const NOTICES_IN_CHINESE = chinese.notices

/** Why a player is reached through a relay only, and what would change that. */
export const RELAYED_IN_CHINESE = chinese.relayed

type Finding = { readonly text: string; readonly hint?: string }

const FINDINGS: Readonly<Record<string, Finding>> = chinese.findings

/**
 * A finding of the doctor with its remedy.
 * @param subject what it is about, such as a port
 * @returns undefined for an id that is not known here
 */
export function findingInChinese(id: string, subject: string): Finding | undefined {
  const known = Object.hasOwn(FINDINGS, id) ? FINDINGS[id] : undefined
  return known && { ...known, text: textIn('en', [known.text], { subject }) }
}
