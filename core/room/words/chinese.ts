import { textIn } from '#core/language'
import type { FindingId } from '../doctor/diagnosis'
import type { FailureCode } from '../failure'
import type { RelayReason } from '../networkStatus'
import type { RoomCodeProblem } from '../readRoomCode'
import type { NoticeCode } from '../service/state/notices'
import chinese from './chinese.json'

type Finding = { readonly text: string; readonly hint?: string }

// Chinese texts of what the service words in English, by code.

/** The sentence and the remedy. */
export const FAILURES_IN_CHINESE: Readonly<
  Record<FailureCode, { readonly error: string; readonly hint: string }>
> = chinese.failures

export const CODE_PROBLEMS_IN_CHINESE: Readonly<Record<RoomCodeProblem, string>> = chinese.codeProblems

/** Texts of a room that is waiting for its player or for another one. */
export const NOTICES_IN_CHINESE: Readonly<Record<NoticeCode, string>> = chinese.notices

/** Why a player is reached through a relay only, and what would change that. */
export const RELAYED_IN_CHINESE: Readonly<
  Record<RelayReason, { readonly text: string; readonly hint: string }>
> = chinese.relayed

const FINDINGS: Readonly<Record<FindingId, Finding>> = chinese.findings

/**
 * A finding of the doctor with its remedy.
 * @param subject what it is about, such as a port
 * @returns undefined for an id that is not known here
 */
export function findingInChinese(id: string, subject: string): Finding | undefined {
  const known = Object.entries(FINDINGS).find(([one]) => one === id)?.[1]
  return known && { ...known, text: textIn('en', [known.text], { subject }) }
}
