import type { Clock } from '#core/async/clock'
import { onAbort } from '#core/async/onAbort'
import type { GameAnnouncement, GameStatus, ProbeGame } from '../ports'
import { isForwardText } from './announcement'
import {
  endPointOf,
  type Game,
  type GameServersRecord,
  type GameStatusRecord,
  isVerified,
  toServerRecord,
} from './gameRecords'

export type GameList = {
  /** Adds or refreshes an announced world, and probes it when a probe is due. */
  add(announcement: GameAnnouncement): void
  /** The worlds of this machine first, each group in the order of their first announcement. */
  games(): readonly Game[]
  /** The Java worlds of this machine that accept connections. */
  localWorlds(): readonly LocalWorld[]
  servers(): GameServersRecord
  status(): GameStatusRecord
}

export type LocalWorld = {
  /** TCP. */
  readonly port: number
  /** As it was announced; may be empty. */
  readonly name: string
  /** Whether it has answered a ping. */
  readonly isVerified: boolean
}

export type GameListOptions = {
  readonly clock: Clock
  readonly probe: ProbeGame
  /** Whether this program itself has a port of this machine, whose announcement is not a game of its own. */
  readonly isOwn: (port: { readonly tcp?: number; readonly udp?: number }) => boolean
  readonly signal: AbortSignal
  /** Called when `servers()` has changed. */
  readonly onChange?: () => void
}

const EXPIRY_MS = 5000
const PROBE_INTERVAL_MS = 5000
/** Another machine can announce a world on every port; worlds of this machine have a limit of their own. */
const MAX_GAMES = { local: 64, remote: 128 } as const
const MAX_PROBES = 16

type Entry = {
  announcement: GameAnnouncement
  announcedAt: number
  probedAt: number
  isBeingProbed: boolean
  status: GameStatus | undefined
}

/** The worlds announced on the LAN, by address and port. They expire after 5 s and are probed every 5 s. */
export function createGameList({ clock, probe, isOwn, signal, onChange }: GameListOptions): GameList {
  const entries = new Map<string, Entry>()
  let cancelExpiry: (() => void) | undefined
  let told = JSON.stringify({ servers: [], count: 0 })
  let probing = 0

  onAbort(signal, () => {
    cancelExpiry?.()
    entries.clear()
  })

  return {
    add,
    games,
    localWorlds: () =>
      games().flatMap(({ isLocal, status, port, edition, motd: name }) =>
        isLocal && status !== undefined && edition === undefined
          ? [{ port, name, isVerified: isVerified(status) }]
          : [],
      ),
    servers,
    status() {
      const all = games()
      return {
        totalServers: all.length,
        verifiedServers: all.filter(({ status }) => isVerified(status)).length,
        timestamp: new Date(clock.unixTime()).toISOString(),
      }
    },
  }

  function add(announcement: GameAnnouncement): void {
    if (signal.aborted || isNoGame(announcement)) return
    removeExpired()
    const key = endPointOf(announcement)
    const entry = entries.get(key) ?? newEntry(announcement)
    if (!entries.has(key)) {
      if (isFull(announcement)) return
      entries.set(key, entry)
    }
    entry.announcement = announcement
    entry.announcedAt = clock.now()
    scheduleExpiry()
    tellChange()
    void verify(key, entry)
  }

  function servers(): GameServersRecord {
    const records = games().map(toServerRecord)
    return { servers: records, count: records.length }
  }

  function tellChange(): void {
    const text = JSON.stringify(servers())
    if (text === told) return
    told = text
    onChange?.()
  }

  /** Never rejects: a failed probe counts as one without an answer. */
  async function verify(key: string, entry: Entry): Promise<void> {
    const isDue = !entry.isBeingProbed && clock.now() - entry.probedAt >= PROBE_INTERVAL_MS
    if (!isDue || probing >= MAX_PROBES) return
    entry.isBeingProbed = true
    entry.probedAt = clock.now()
    probing += 1
    const { address, port } = entry.announcement
    const status = await probe({ address, port }, signal).catch(() => undefined)
    probing -= 1
    entry.isBeingProbed = false
    if (entries.get(key) !== entry) return
    entry.status = status
    tellChange()
  }

  function newEntry(announcement: GameAnnouncement): Entry {
    return {
      announcement,
      announcedAt: clock.now(),
      probedAt: Number.NEGATIVE_INFINITY,
      isBeingProbed: false,
      status: undefined,
    }
  }

  function isNoGame({ isLocal, port, motd, edition }: GameAnnouncement): boolean {
    const own = edition === 'bedrock' ? { udp: port } : { tcp: port }
    return (isLocal && isOwn(own)) || isForwardText(motd)
  }

  function isFull({ isLocal }: GameAnnouncement): boolean {
    const others = [...entries.values()].filter(({ announcement }) => announcement.isLocal === isLocal)
    return others.length >= MAX_GAMES[isLocal ? 'local' : 'remote']
  }

  function isExpired({ announcedAt }: Entry): boolean {
    return clock.now() - announcedAt >= EXPIRY_MS
  }

  function removeExpired(): void {
    for (const [key, entry] of [...entries]) if (isExpired(entry)) entries.delete(key)
  }

  /** One timer for all entries, set to the next one that expires. */
  function scheduleExpiry(): void {
    if (cancelExpiry !== undefined) return
    const next = Math.min(...[...entries.values()].map(({ announcedAt }) => announcedAt + EXPIRY_MS))
    cancelExpiry = clock.after(Math.max(1, next - clock.now()), () => {
      cancelExpiry = undefined
      removeExpired()
      tellChange()
      if (entries.size > 0) scheduleExpiry()
    })
  }

  function games(): readonly Game[] {
    // A port may have become our own after it was announced as a game.
    const current = [...entries.values()].filter(
      (entry) => !isExpired(entry) && !isNoGame(entry.announcement),
    )
    const all = current.map(({ announcement, status }) => ({ ...announcement, status }))
    return [...all.filter(({ isLocal }) => isLocal), ...all.filter(({ isLocal }) => !isLocal)]
  }
}
