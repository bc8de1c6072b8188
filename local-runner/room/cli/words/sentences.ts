import { type Language, textIn } from '@lantern-room/base'
import type { RoomCodeProblem } from '@lantern-room/protocol'
import { chinese, describeProblem } from '@lantern-room/room/words'
import help from './help.json'
import refusals from './refusals.json'

type Template = { readonly names: readonly string[]; readonly pattern: RegExp; readonly chinese: string }

const PLACE = /\{(\w+)\}/g

/** Made when they are first needed: most starts of the program say nothing of this, or say it in English. */
let templates: readonly Template[] | undefined

/**
 * What the program says about itself and about what was typed, in another language. The English sentence is the key, as with gettext,
 * since it is also what the service answers; names in braces stand for what is filled in, which is translated as well.
 * @param sentence one or several, in English
 * @returns a sentence that is not known here as it is
 * @example inLanguage('zh-CN', '--name needs a value.')
 */
export function inLanguage(language: Language, sentence: string): string {
  return language === 'en' ? sentence : chineseOf(sentence)
}

function chineseOf(sentence: string): string {
  const whole = known(sentence)
  if (whole !== undefined) return whole
  return sentence
    .split(/(?<=\.) (?=[A-Z“"-])/)
    .map((one) => known(one) ?? one)
    .join('')
}

function known(sentence: string): string | undefined {
  templates ??= allTemplates()
  for (const { names, pattern, chinese: text } of templates) {
    const found = pattern.exec(sentence)
    if (!found) continue
    const values = names.map((name, at) => [name, filledIn(name, found[at + 1] ?? '')])
    return textIn('en', [text], Object.fromEntries(values))
  }
  return undefined
}

function filledIn(name: string, text: string): string {
  return name === 'list' ? text.replaceAll(', ', '、') : chineseOf(text)
}

/** Those around another sentence come first, then the ones with more text of their own: where two fit, that is the more exact one. */
function allTemplates(): readonly Template[] {
  const codeProblems = Object.entries(chinese.codeProblems).map(
    ([problem, text]) => [describeProblem(problem as RoomCodeProblem), text] as const,
  )
  return [...Object.entries<string>({ ...help.texts, ...refusals }), ...codeProblems]
    .sort(([one], [other]) => rankOf(other) - rankOf(one))
    .map(([english, text]) => templateOf(english, text))
}

function templateOf(english: string, text: string): Template {
  const names = [...english.matchAll(PLACE)].map(([, name = '']) => name)
  const literal = english.split(/\{\w+\}/).map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  return { names, chinese: text, pattern: new RegExp(`^${literal.join('(.+?)')}$`, 's') }
}

function rankOf(english: string): number {
  return english.startsWith('{what}') ? Number.POSITIVE_INFINITY : english.replace(PLACE, '').length
}
