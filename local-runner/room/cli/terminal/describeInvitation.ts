import { differencesOf, type Invitation } from '#core/room/invitation'
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

function modsText(mods: Game['mods']): string {
  const count = mods?.count ?? 0
  if (count === 0) return 'no mods'
  return count === 1 ? '1 mod' : `${count} mods`
}
