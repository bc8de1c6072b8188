import { ConfigError } from '#core/environment'
import { type FailureCode, RoomFailure } from '#core/room/failure'
import {
  type CommandFailure,
  failureOf as commonFailureOf,
  EXIT_ENVIRONMENT,
  EXIT_FAILED,
  EXIT_USAGE,
} from '../../commandLine/failure'
import { printable } from '../../commandLine/readArguments'
import type { GivenSettings } from './options/command'

/** Failures of this machine or its network, not of the room or the friend. */
const OF_THIS_MACHINE: readonly FailureCode[] = ['no-relay-reachable', 'network-failed', 'port-in-use']

/**
 * Turns an error into one sentence and an exit code.
 * @param given the settings that were typed, as far as the command could be read
 */
export function failureOf(thrown: unknown, given: GivenSettings | undefined): CommandFailure {
  if (thrown instanceof ConfigError) return settingFailure(thrown, given)
  if (thrown instanceof RoomFailure) {
    return {
      exitCode: OF_THIS_MACHINE.includes(thrown.code) ? EXIT_ENVIRONMENT : EXIT_FAILED,
      sentence: printable(thrown.detail),
      hint: hintOf(thrown),
    }
  }
  return commonFailureOf(thrown, 'room')
}

function hintOf({ code, hint }: RoomFailure): string {
  return code === 'host-changed' ? `${hint} If they say it is them, --accept-new-host joins.` : hint
}

/** Settings that were typed as options are named as options, and are a mistake in the command. */
function settingFailure({ problems }: ConfigError, given: GivenSettings | undefined): CommandFailure {
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
