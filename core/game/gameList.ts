import type { Clock } from '@lantern-room/base/async'
import { onAbort } from '@lantern-room/base/async'
import { isForwardText } from './announcement'
import type { Game } from './game'
import type { GameAnnouncement, ProbeGame } from './ports'
import { type AnswerHere, askAt, type ProbeHere } from './probeHere'
import { type Entry, expiryMsOf, keyOf, type LocalWorld, newEntry, toLocalWorld } from './worldEntries'
import type { FoundWorld } from './worldSearch'

/** What a list is given; times are milliseconds. */
export type GameListOptions = {
  readonly clock: Clock
  readonly probe: ProbeGame
  readonly probeHere: ProbeHere
  /** Whether this program itself has a port of this machine, whose announcement is not a game of its own. */
  readonly isOwn: (port: { readonly tcp?: number; readonly udp?: number }) => boolean
  /** Ends the list: it is empty from then on. */
  readonly signal: AbortSignal
  /** Called after each change of `games()`. @default nothing is called */
  readonly onChange?: () => void
}

const PROBE_INTERVAL_MS = 5000
/** Another machine can announce a world on every port; worlds of this machine have a limit of their own. */
const MAX_GAMES = { local: 64, remote: 128 } as const
const MAX_PROBES = 16

/**
 * The worlds announced on the LAN, by address and port. They expire after 5 s and are probed every 5 s.
 * @example
 * const list = new GameList({ clock, probe, probeHere, isOwn: () => false, signal })
 * await lanListener.listen(list.add, signal)
 */
export class GameList {
  readonly #options: GameListOptions
  readonly #entries = new Map<string, Entry>()
  /** The games at the last call of `onChange`, as text. */
  #told = '[]'
  #probing = 0

  constructor(options: GameListOptions) {
    this.#options = options
    onAbort(options.signal, () => {
      for (const { stopExpiry } of this.#entries.values()) stopExpiry()
      this.#entries.clear()
    })
  }

  /** Adds or refreshes an announced world, and probes it when a probe is due. */
  readonly add = (announcement: GameAnnouncement): void => {
    const entry = this.#put(announcement)
    if (!entry) return
    this.#tellChange()
    void this.#verify(keyOf(announcement), entry)
  }

  /** Adds or refreshes a world that was found without an announcement. */
  addFound({ address, port, isOfUser, status }: FoundWorld): void {
    const announcement = { address, port, motd: '', isLocal: true, found: { isOfUser } }
    const known = this.#entries.get(keyOf(announcement))
    if (known && !known.announcement.found) return
    const entry = this.#put(announcement)
    if (!entry) return
    entry.status = status
    entry.address = address
    this.#tellChange()
  }

  /** The worlds of this machine first, each group in the order of their first announcement. */
  games(): readonly Game[] {
    // A port may have become our own after it was announced as a game.
    const current = [...this.#entries.values()].filter((entry) => !this.#isNoGame(entry.announcement))
    const all = current.map(({ announcement, address, status }) => ({ ...announcement, address, status }))
    return [...all.filter(({ isLocal }) => isLocal), ...all.filter(({ isLocal }) => !isLocal)]
  }

  /** The Java worlds of this machine that accept connections. */
  readonly localWorlds = (): readonly LocalWorld[] => this.games().flatMap((game) => toLocalWorld(game) ?? [])

  #put(announcement: GameAnnouncement): Entry | undefined {
    const { signal, clock } = this.#options
    if (signal.aborted || this.#isNoGame(announcement)) return undefined
    const key = keyOf(announcement)
    const known = this.#entries.get(key)
    if (!known && this.#isFull(announcement)) return undefined
    const entry = known ?? newEntry(announcement)
    this.#entries.set(key, entry)
    entry.announcement = announcement
    entry.stopExpiry()
    entry.stopExpiry = clock.after(expiryMsOf(announcement), () => {
      this.#entries.delete(key)
      this.#tellChange()
    })
    return entry
  }

  #tellChange(): void {
    const text = JSON.stringify(this.games())
    if (text === this.#told) return
    this.#told = text
    this.#options.onChange?.()
  }

  /** Never rejects: a failed probe counts as one without an answer. */
  async #verify(key: string, entry: Entry): Promise<void> {
    const { clock, signal } = this.#options
    const isDue = !entry.isBeingProbed && clock.now() - entry.probedAt >= PROBE_INTERVAL_MS
    if (!isDue || this.#probing >= MAX_PROBES) return
    entry.isBeingProbed = true
    entry.probedAt = clock.now()
    this.#probing += 1
    const answer = await this.#ask(entry, signal).catch(() => undefined)
    this.#probing -= 1
    entry.isBeingProbed = false
    if (this.#entries.get(key) !== entry) return
    entry.status = answer?.status
    if (answer) entry.address = answer.address
    this.#tellChange()
  }

  async #ask({ announcement, address }: Entry, signal: AbortSignal): Promise<AnswerHere | undefined> {
    const { probe, probeHere } = this.#options
    const { isLocal, edition, port } = announcement
    if (isLocal && edition === undefined) return probeHere(port, signal, address)
    return askAt(probe, { address, port }, signal)
  }

  #isNoGame({ isLocal, port, motd, edition }: GameAnnouncement): boolean {
    const own = edition === 'bedrock' ? { udp: port } : { tcp: port }
    return (isLocal && this.#options.isOwn(own)) || isForwardText(motd)
  }

  #isFull({ isLocal }: GameAnnouncement): boolean {
    const others = [...this.#entries.values()].filter(({ announcement }) => announcement.isLocal === isLocal)
    return others.length >= MAX_GAMES[isLocal ? 'local' : 'remote']
  }
}
