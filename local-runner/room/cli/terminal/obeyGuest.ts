import { type Language, textIn } from '@lantern-room/base'
import type { RoomApi } from '@lantern-room/room'
import { KEPT_NUMBERS } from '@lantern-room/room'
import { gameRefusals, terminalWords } from '@lantern-room/room/words'
import { shortened } from '../../../commandLine/readArguments'
import { readKeptPort } from '../options/keptPort'

/**
 * Carries out what a guest types: `?` for help with a game that refuses, and `keep 8123`, the yes to a number of the host on this machine.
 * @returns the answer, in several lines for `?`
 */
export function obeyGuest(
  line: string,
  { service, roomState }: Pick<RoomApi, 'service' | 'roomState'>,
  language: Language,
): string | undefined {
  const say = terminalWords(language)
  const [word = '', ...numbers] = line.split(/[\s,]+/).filter(Boolean)
  if (word === '') return undefined
  if (HELP.has(word.toLowerCase())) return refusalsOfGames(language)
  if (word.toLowerCase() !== 'keep' || numbers.length === 0) return say('guestOrders')
  const wrong = numbers.find((text) => readKeptPort(text) === undefined)
  if (wrong !== undefined) return say('neverKept', { port: shortened(wrong) })
  const ports = [...new Set([...roomState.view().keepPorts, ...numbers.map(Number)])]
  // The last ones that were named count.
  service.keepPorts(ports.slice(-KEPT_NUMBERS.max))
  return say('keeps', { ports: numbers.join(say('comma')) })
}

const HELP: ReadonlySet<string> = new Set(['?', '？', 'help'])

/** What the game says when it does not let a player in, and what to do. */
function refusalsOfGames(language: Language): string {
  const blocks = Object.values(gameRefusals).map(
    ({ says, help }) => `${textIn(language, says)}\n  ${textIn(language, help)}`,
  )
  return blocks.join('\n')
}
