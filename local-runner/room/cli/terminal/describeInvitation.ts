import { differencesOf, type Invitation, missingModsOf } from '@lantern-room/protocol/invitation'
import type { Say } from '@lantern-room/room/words'
import { printable } from '../../../commandLine/readArguments'

type Game = Pick<Invitation, 'gameVersion' | 'mods'>

/** The host's game as described by an invitation, and how the local game differs; one line each. */
export function describeInvitation(invitation: Invitation, own: Game, say: Say): readonly string[] {
  const { name, gameVersion, mods } = invitation
  const game = [
    ...(gameVersion === undefined ? [] : [say('version', { version: gameVersion })]),
    ...(mods === undefined ? [] : [modsText(mods, say)]),
  ]
  const partOf = {
    gameVersion: (one: Game) => say('version', { version: one.gameVersion ?? '' }),
    mods: (one: Game) => modsText(one.mods, say),
  }
  const title = name === undefined ? say('invitation') : say('invitationOf', { name })
  const missing = missingModsOf(mods, own.mods)
  return [
    [title, ...(game.length === 0 ? [] : [game.join(say('comma'))])].join(say('colon')),
    ...differencesOf(invitation, own).map((part) =>
      say('gameDiffers', { own: partOf[part](own), host: partOf[part](invitation) }),
    ),
    ...named(missing?.here, 'missingHere', say),
    ...named(missing?.there, 'missingThere', say),
  ].map(printable)
}

const MAX_NAMED = 20

function named(
  names: readonly string[] = [],
  sentence: 'missingHere' | 'missingThere',
  say: Say,
): readonly string[] {
  if (names.length === 0) return []
  const rest = names.length > MAX_NAMED ? say('others', { count: names.length - MAX_NAMED }) : ''
  return [say(sentence, { mods: `${names.slice(0, MAX_NAMED).join(say('comma'))}${rest}` })]
}

function modsText(mods: Game['mods'], say: Say): string {
  const count = mods?.count ?? 0
  if (count === 0) return say('noMods')
  return count === 1 ? say('oneMod') : say('mods', { count })
}
