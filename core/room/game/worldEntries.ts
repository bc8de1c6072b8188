import type { GameAnnouncement, GameStatus } from '../ports'
import { endPointOf, type Game, isVerified } from './gameRecords'

export type LocalWorld = {
  /** TCP. */
  readonly port: number
  /** Of this machine, where it answers. */
  readonly address: string
  /** How it came to be known. Another user of this machine may have it, unless it is `found-own`. */
  readonly source: 'announced' | 'found' | 'found-own'
  /** The announced name; may be empty. */
  readonly name: string
  /** Whether it has answered a ping. */
  readonly isVerified: boolean
}

const EXPIRY_MS = 5000
/** A search takes several seconds and comes every four. */
const FOUND_EXPIRY_MS = 12_000

export type Entry = {
  announcement: GameAnnouncement
  announcedAt: number
  probedAt: number
  isBeingProbed: boolean
  status: GameStatus | undefined
  /** Where it answered. */
  address: string
}

export function newEntry(announcement: GameAnnouncement, now: number): Entry {
  return {
    announcement,
    announcedAt: now,
    probedAt: Number.NEGATIVE_INFINITY,
    isBeingProbed: false,
    status: undefined,
    address: announcement.address,
  }
}

/** A world of this machine is one world, at whichever of its addresses it answers. */
export function keyOf(announcement: GameAnnouncement): string {
  const isHere = announcement.isLocal && announcement.edition === undefined
  return isHere ? `here:${announcement.port}` : endPointOf(announcement)
}

export function expiryOf({ announcement, announcedAt }: Entry): number {
  return announcedAt + (announcement.found ? FOUND_EXPIRY_MS : EXPIRY_MS)
}

export function toLocalWorld({
  isLocal,
  status,
  address,
  port,
  edition,
  found,
  motd,
}: Game): LocalWorld | undefined {
  if (!isLocal || status === undefined || edition !== undefined) return undefined
  const source = found ? (found.isOfUser ? 'found-own' : 'found') : 'announced'
  return { port, address, source, name: motd || (found && status.motd) || '', isVerified: isVerified(status) }
}
