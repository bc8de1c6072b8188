import type { Clock } from '#core/clock'
import type { GameAnnouncement, GameStatus, ProbeGame } from '../ports'
import {
  endPointOf,
  type Game,
  type GameServersRecord,
  type GameStatusRecord,
  toServerRecord,
} from './gameRecords'

export type GameList = {
  /** Takes an announcement from the LAN, and asks the world for its status when it is time to. */
  hear(announcement: GameAnnouncement): void
  /** The worlds of this machine first, each group in the order of their first announcement. */
  games(): readonly Game[]
  /** TCP ports of the worlds of this machine that have answered. */
  localPorts(): readonly number[]
  servers(): GameServersRecord
  status(): GameStatusRecord
  /** Called after a world came, went, or answered otherwise. @returns a function that takes the listener off */
  onChange(listener: () => void): () => void
}

export type GameListOptions = {
  readonly clock: Clock
  readonly probe: ProbeGame
  /** Whether a port of this machine is a forward of ours: its announcement is our own and no game. */
  readonly isOwn: (port: number) => boolean
  readonly signal: AbortSignal
}

const EXPIRY_MS = 5000
const PROBE_EVERY_MS = 5000
/** A stranger can announce as many worlds as there are ports; those of this machine have places of their own. */
const MAX_GAMES = { local: 64, remote: 128 } as const
const MAX_PROBES = 16

type Entry = {
  announcement: GameAnnouncement
  heardAt: number
  probedAt: number | undefined
  isProbed: boolean
  status: GameStatus | undefined
}

/** The worlds that are announced on the LAN: kept by address and port, forgotten after 5 s, asked every 5 s. */
export function createGameList({ clock, probe, isOwn, signal }: GameListOptions): GameList {
  const entries = new Map<string, Entry>()
  const listeners = new Set<() => void>()
  let cancelExpiry: (() => void) | undefined
  /** One for each probe: a signal that many wait for at once is taken for a leak. */
  const probes = new Set<AbortController>()

  signal.addEventListener('abort', () => {
    cancelExpiry?.()
    entries.clear()
    for (const control of [...probes]) control.abort(signal.reason)
  })

  function hear(announcement: GameAnnouncement): void {
    if (signal.aborted || isExcluded(announcement)) return
    removeExpired()
    const key = endPointOf(announcement)
    const known = entries.get(key)
    const entry = known ?? newEntry(announcement)
    if (known === undefined) {
      if (isFull(announcement)) return
      entries.set(key, entry)
    }
    const isNews = known === undefined || known.announcement.motd !== announcement.motd
    entry.announcement = announcement
    entry.heardAt = clock.now()
    expireLater()
    void verify(key, entry)
    if (isNews) changed()
  }

  /** Never rejects: a probe that fails is one that found nothing. */
  async function verify(key: string, entry: Entry): Promise<void> {
    const isEarly = entry.probedAt !== undefined && clock.now() - entry.probedAt < PROBE_EVERY_MS
    if (entry.isProbed || isEarly || probes.size >= MAX_PROBES) return
    entry.isProbed = true
    entry.probedAt = clock.now()
    const control = new AbortController()
    probes.add(control)
    const { address, port } = entry.announcement
    const status = await probe({ address, port }, control.signal).catch(() => undefined)
    probes.delete(control)
    entry.isProbed = false
    if (signal.aborted || entries.get(key) !== entry) return
    const isNews = JSON.stringify(status) !== JSON.stringify(entry.status)
    entry.status = status
    if (isNews) changed()
  }

  function newEntry(announcement: GameAnnouncement): Entry {
    return { announcement, heardAt: clock.now(), probedAt: undefined, isProbed: false, status: undefined }
  }

  function isExcluded({ isLocal, port }: GameAnnouncement): boolean {
    return isLocal && isOwn(port)
  }

  function isFull({ isLocal }: GameAnnouncement): boolean {
    const others = [...entries.values()].filter(({ announcement }) => announcement.isLocal === isLocal)
    return others.length >= MAX_GAMES[isLocal ? 'local' : 'remote']
  }

  function isExpired({ heardAt }: Entry): boolean {
    return clock.now() - heardAt >= EXPIRY_MS
  }

  function removeExpired(): boolean {
    const expired = [...entries].filter(([, entry]) => isExpired(entry))
    for (const [key] of expired) entries.delete(key)
    return expired.length > 0
  }

  /** One timer for all: it looks for the one that goes next. */
  function expireLater(): void {
    if (cancelExpiry !== undefined) return
    const next = Math.min(...[...entries.values()].map(({ heardAt }) => heardAt + EXPIRY_MS))
    cancelExpiry = clock.after(Math.max(1, next - clock.now()), () => {
      cancelExpiry = undefined
      const isNews = removeExpired()
      if (entries.size > 0) expireLater()
      if (isNews) changed()
    })
  }

  function changed(): void {
    for (const listener of [...listeners]) listener()
  }

  /** A port may have become a forward of ours after it was heard as a game. */
  function games(): readonly Game[] {
    const shown = [...entries.values()].filter(
      (entry) => !isExpired(entry) && !isExcluded(entry.announcement),
    )
    const all = shown.map(({ announcement, status }) => ({ ...announcement, status }))
    return [...all.filter(({ isLocal }) => isLocal), ...all.filter(({ isLocal }) => !isLocal)]
  }

  return {
    hear,
    games,
    localPorts: () =>
      games().flatMap(({ isLocal, status, port }) => (isLocal && status !== undefined ? [port] : [])),
    servers() {
      const servers = games().map(toServerRecord)
      return { servers, count: servers.length }
    },
    status() {
      const all = games()
      return {
        totalServers: all.length,
        verifiedServers: all.filter(({ status }) => status !== undefined).length,
        timestamp: new Date(clock.unixTime()).toISOString(),
      }
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
