import { differencesOf, type Invitation, missingModsOf } from '#core/room/invitation'
import { printable } from '../../../commandLine/readArguments'

type Game = Pick<Invitation, 'gameVersion' | 'mods'>

/** The host's game as described by an invitation, and how the local game differs; one line each. */
export function describeInvitation(invitation: Invitation, own: Game): readonly string[] {
  const { name, gameVersion, mods } = invitation
  const game = [
    ...(gameVersion === undefined ? [] : [`version ${gameVersion}`]),
    ...(mods === undefined ? [] : [modsText(mods)]),
  ]
  return [
    `An invitation${name === undefined ? '' : ` of ${name}`}${game.length === 0 ? '' : `: ${game.join(', ')}`}`,
    ...differencesOf(invitation, own).map((what) => DIFFERENCES[what](invitation, own)),
    ...missingTexts(mods, own.mods),
  ].map(printable)
}

const DIFFERENCES: Readonly<
  Record<ReturnType<typeof differencesOf>[number], (host: Game, own: Game) => string>
> = {
  gameVersion: (host, own) =>
    `The versions differ: ${own.gameVersion} here, ${host.gameVersion} at the host. The game may refuse to connect.`,
  mods: (host, own) =>
    `The mods differ: ${modsText(own.mods)} here, ${modsText(host.mods)} at the host. The game may refuse to connect.`,
}

const MAX_NAMED = 20

function missingTexts(host: Game['mods'], own: Game['mods']): readonly string[] {
  const missing = missingModsOf(host, own)
  const named = (where: string, names: readonly string[] = []) => {
    const rest = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : ''
    return names.length === 0 ? [] : [`Missing ${where}: ${names.slice(0, MAX_NAMED).join(', ')}${rest}.`]
  }
  return [...named('here', missing?.here), ...named('at the host', missing?.there)]
}

function modsText(mods: Game['mods']): string {
  const count = mods?.count ?? 0
  if (count === 0) return 'no mods'
  return count === 1 ? '1 mod' : `${count} mods`
}
