import { ConfigError } from '#core/environment'
import { ServiceError } from '#core/errors'
import { FAILURES, type FailureCode, RoomFailure } from '#core/room/failure'
import { printable } from '../../cli/printable'
import { type GivenSettings, UsageError } from './options'

export const EXIT_OK = 0
export const EXIT_FAILED = 1
export const EXIT_USAGE = 2
export const EXIT_ENVIRONMENT = 3

export type Failure = { readonly exitCode: number; readonly sentence: string; readonly hint?: string }

/** What lies at this machine or its line, not at the room or the friend. */
const OF_THIS_MACHINE: readonly FailureCode[] = ['no-relay-reachable', 'network-failed', 'port-in-use']

/** Whatever was thrown, as one sentence and an exit code. */
export function failureOf(thrown: unknown, given: GivenSettings | undefined): Failure {
  if (thrown instanceof UsageError) {
    const about = thrown.command === undefined ? '' : ` ${thrown.command}`
    return { exitCode: EXIT_USAGE, sentence: `${thrown.message} See room${about} --help.` }
  }
  if (thrown instanceof ConfigError) return settingFailure(thrown, given)
  if (thrown instanceof RoomFailure) {
    return {
      exitCode: exitCodeOf(thrown.code),
      sentence: printable(thrown.detail),
      hint: FAILURES[thrown.code].hint,
    }
  }
  if (thrown instanceof ServiceError) {
    const exitCode = thrown.code === 'unavailable' ? EXIT_ENVIRONMENT : EXIT_FAILED
    return { exitCode, sentence: printable(thrown.detail) }
  }
  return {
    exitCode: EXIT_FAILED,
    sentence: `This program made a mistake. Please report it: ${printable(String(thrown))}`,
  }
}

export function exitCodeOf(code: FailureCode): number {
  return OF_THIS_MACHINE.includes(code) ? EXIT_ENVIRONMENT : EXIT_FAILED
}

/** Settings that came as flags are told as flags, and were typed wrong; others are the environment's. */
function settingFailure({ problems }: ConfigError, given: GivenSettings | undefined): Failure {
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
    sentence: `${what}: ${told.join(' ')}`,
  }
}
