import type { Language } from '@lantern-room/base'
import { ConfigError } from '@lantern-room/base/settings'
import type { RoomCodeProblem } from '@lantern-room/protocol'
import { type FailureCode, RoomFailure } from '@lantern-room/room'
import { chinese, describeProblem } from '@lantern-room/room/words'
import {
  type CommandFailure,
  failureOf as commonFailureOf,
  EXIT_ENVIRONMENT,
  EXIT_FAILED,
  EXIT_USAGE,
} from '../../commandLine/failure'
import { printable } from '../../commandLine/readArguments'
import type { GivenSettings } from './options/command'
import { inLanguage } from './words/sentences'

/** Failures of this machine or its network, not of the room or the friend. */
const OF_THIS_MACHINE: readonly FailureCode[] = [
  'no-relay-reachable',
  'no-internet',
  'wifi-login',
  'network-failed',
  'port-in-use',
]

/** How a hint ends where the page has a button, and a terminal an option. */
const OPTIONS: Partial<Record<FailureCode, { readonly english: string; readonly chinese: string }>> = {
  'host-changed': {
    english: ', or join with --accept-new-host if they say it is them.',
    chinese: '，确认是本人后也可以用 --accept-new-host 加入。',
  },
  'connection-lost': {
    english: ' (--wait).',
    chinese: '（--wait）。',
  },
}

/** The room code was typed wrong. */
export class CodeProblem extends Error {
  constructor(problem: RoomCodeProblem) {
    super(describeProblem(problem))
  }
}

/**
 * Turns an error into one sentence and an exit code.
 * @param given the settings that were typed, as far as the command could be read
 */
export function failureOf(
  thrown: unknown,
  given: GivenSettings | undefined,
  language: Language = 'en',
): CommandFailure {
  if (thrown instanceof RoomFailure) {
    return {
      exitCode: OF_THIS_MACHINE.includes(thrown.code) ? EXIT_ENVIRONMENT : EXIT_FAILED,
      sentence: printable(language === 'en' ? sentenceOf(thrown) : sentenceInChinese(thrown)),
    }
  }
  const { exitCode, sentence } =
    thrown instanceof CodeProblem
      ? { exitCode: EXIT_USAGE, sentence: thrown.message }
      : thrown instanceof ConfigError
        ? settingFailure(thrown, given, language)
        : commonFailureOf(thrown, 'room')
  return { exitCode, sentence: inLanguage(language, sentence) }
}

function sentenceInChinese({ code, hintCode }: RoomFailure): string {
  const { error, hint } = hintCode ? chinese.hints[hintCode] : chinese.failures[code]
  return `${error}${hint.replace(/。$/, OPTIONS[code]?.chinese ?? '。')}`
}

/** What has happened, and what to do. */
function sentenceOf({ code, detail, hint }: RoomFailure): string {
  const what = detail.replace(/\.$/, '')
  const mark = hint.includes(':') ? ';' : ':'
  const more = OPTIONS[code]?.english ?? '.'
  return `${what}${mark} ${hint.charAt(0).toLowerCase()}${hint.slice(1).replace(/\.$/, more)}`
}

/** Settings that were typed as options are named as options, and are a mistake in the command. */
function settingFailure(
  { problems }: ConfigError,
  given: GivenSettings | undefined,
  language: Language,
): CommandFailure {
  let isTyped = false
  const told = problems.map((problem) => {
    const [, variable = '', rest = ''] = /^([A-Z_]+)=(.*)$/s.exec(problem) ?? []
    const flag = given?.flagOf.get(variable)
    if (flag === undefined) return problem
    isTyped = true
    return `${flag} ${rest}`
  })
  const what = problems.length === 1 ? 'A setting is wrong' : 'Some settings are wrong'
  return {
    exitCode: isTyped ? EXIT_USAGE : EXIT_ENVIRONMENT,
    sentence: `${what}: ${told.map((problem) => inLanguage(language, problem)).join(language === 'en' ? ' ' : '')}`,
  }
}
