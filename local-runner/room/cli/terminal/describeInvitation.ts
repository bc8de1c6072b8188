import { differencesOf, type Invitation, missingModsOf } from '#core/room/invitation'
import type { TerminalWords } from '#core/room/words/terminalWords'
import { printable } from '../../../commandLine/readArguments'

type Game = Pick<Invitation, 'gameVersion' | 'mods'>

/** The host's game as described by an invitation, and how the local game differs; one line each. */
export function describeInvitation(
  invitation: Invitation,
  own: Game,
  words: TerminalWords,
): readonly string[] {
  const { name, gameVersion, mods } = invitation
  const game = [
    ...(gameVersion === undefined ? [] : [words.version(gameVersion)]),
    ...(mods === undefined ? [] : [words.mods(mods.count)]),
  ]
  const partOf = {
    gameVersion: (one: Game) => words.version(one.gameVersion),
    mods: (one: Game) => words.mods(one.mods?.count ?? 0),
  }
  const missing = missingModsOf(mods, own.mods)
  return [
    words.invitation(name, game.join(words.comma)),
    ...differencesOf(invitation, own).map((part) =>
      words.gameDiffers(partOf[part](own), partOf[part](invitation)),
    ),
    ...named(missing?.here, words.missingHere, words),
    ...named(missing?.there, words.missingThere, words),
  ].map(printable)
}

const MAX_NAMED = 20

function named(
  names: readonly string[] = [],
  sentence: (names: string) => string,
  words: TerminalWords,
): readonly string[] {
  if (names.length === 0) return []
  const rest = names.length > MAX_NAMED ? words.others(names.length - MAX_NAMED) : ''
  return [sentence(`${names.slice(0, MAX_NAMED).join(words.comma)}${rest}`)]
}
