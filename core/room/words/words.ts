import { type Language, textIn, type Values } from '@lantern-room/base'
import type { RoomCodeProblem } from '@lantern-room/protocol'
import chinese from './chinese.json'
import english from './english.json'
import terminal from './terminal.json'

/** What only the command `room` says to a player, in one language; the rest is in the tables beside this one. */
export type Say = (key: keyof typeof terminal, values?: Values) => string

/**
 * The words of the terminal in one language.
 * @example terminalWords('zh-CN')('stopping')
 */
export function terminalWords(language: Language): Say {
  return (key, values) => textIn(language, terminal[key], values)
}

type Finding = { readonly text: string; readonly hint?: string }

const FINDINGS: Readonly<Record<string, Finding>> = chinese.findings

/**
 * A finding of the doctor with its remedy.
 * @param subject what it is about, such as a port
 * @returns undefined for an id that is not known here
 * @example findingInChinese(finding.id, '25565')?.text ?? finding.text
 */
export function findingInChinese(id: string, subject: string): Finding | undefined {
  const known = Object.hasOwn(FINDINGS, id) ? FINDINGS[id] : undefined
  return known && { ...known, text: textIn('en', [known.text], { subject }) }
}

/**
 * One sentence that tells a player how to correct the code.
 * @example
 * const { problem } = readRoomCode(text)
 * if (problem) show(describeProblem(problem))
 */
export function describeProblem(problem: RoomCodeProblem): string {
  return english.codeProblems[problem]
}
