import { endPointOf, type Game, isVerified } from './game'
import type { GameAnnouncement, GameStatus } from './ports'

/** A Java world of this machine that accepts connections, as a host may offer it. */
export type LocalWorld = NonNullable<ReturnType<typeof toLocalWorld>>

const EXPIRY_MS = 5000
/** A search takes several seconds and comes every four. */
const FOUND_EXPIRY_MS = 12_000

export type Entry = ReturnType<typeof newEntry>

export function newEntry(announcement: GameAnnouncement) {
  return {
    announcement,
    stopExpiry: () => {},
    probedAt: Number.NEGATIVE_INFINITY,
    isBeingProbed: false,
    status: undefined as GameStatus | undefined,
    /** Where it answered. */
    address: announcement.address,
  }
}

/** A world of this machine is one world, at whichever of its addresses it answers. */
export function keyOf(announcement: GameAnnouncement): string {
  const isHere = announcement.isLocal && announcement.edition === undefined
  return isHere ? `here:${announcement.port}` : endPointOf(announcement)
}

/** How long a world stays in the list after this announcement of it. */
export function expiryMsOf({ found }: GameAnnouncement): number {
  return found ? FOUND_EXPIRY_MS : EXPIRY_MS
}

export function toLocalWorld({ isLocal, status, address, port, edition, found, motd }: Game) {
  if (!isLocal || status === undefined || edition !== undefined) return undefined
  return {
    /** TCP. */
    port,
    /** Of this machine, where it answers. */
    address,
    /** How it came to be known. Another user of this machine may have it, unless it is `found-own`. */
    source: found ? (found.isOfUser ? 'found-own' : 'found') : 'announced',
    /** May be empty. */
    name: motd || (found && status.motd) || '',
    isVerified: isVerified(status),
  } as const
}
