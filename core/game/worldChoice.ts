import { isVerified } from './game'
import type { GameStatus } from './ports'
import type { LocalWorld } from './worldEntries'

/** A world that answers, or did. */
export type KnownWorld = {
  readonly port: number
  /** The name from its announcement or its answer; undefined when it gave none. */
  readonly name: string | undefined
}

/** Only what the game itself has announced is shared unasked. */
export function announcedOf(worlds: readonly LocalWorld[]): readonly LocalWorld[] {
  return worlds.filter(({ source }) => source === 'announced')
}

/**
 * What a player is offered who has chosen nothing: an announced world that answers no ping, else those of this user that answer and
 * are not announced.
 */
export function offeredOf(worlds: readonly LocalWorld[]): readonly LocalWorld[] {
  const unverified = announcedOf(worlds).find((world) => !world.isVerified)
  return unverified ? [unverified] : worlds.filter(({ source }) => source === 'found-own')
}

export function nameOf(
  worlds: readonly LocalWorld[],
  { motd }: GameStatus,
  port: number,
): string | undefined {
  return worlds.find((world) => world.port === port)?.name || motd || undefined
}

/**
 * A connection alone is enough where the player has chosen the port: mods break each of the pings.
 * @see docs/decisions.md, D146
 */
export function isEnough(status: GameStatus, isChosenPort: boolean): boolean {
  return isChosenPort || isVerified(status)
}
