import type { Log } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import { createEmitter, createThrottle, onAbort } from '@lantern-room/base/async'
import { createWorldSearch, GameList, type ProbeHere } from '@lantern-room/game'
import type { LanListener, MachineWorlds, ProbeGame } from '@lantern-room/game/ports'
import type { Feed } from '../state/feed'
import { toGameServers } from '../state/gameRecords'
import type { PortGuard } from './portGuard'

/** Any machine of the LAN can announce worlds as often as it likes. */
const WORLDS_EVERY_MS = 1000

export type LanGames = ReturnType<typeof createLanGames>

/** The worlds of the LAN. Changes go to the feed, at most once a second. */
export function createLanGames(options: {
  readonly listeners: readonly LanListener[]
  readonly probe: ProbeGame
  readonly probeHere: ProbeHere
  readonly machine: MachineWorlds
  /** Whether this program itself has the port, which is no world then. */
  readonly isOwn: PortGuard['isOwn']
  readonly hasForward: () => boolean
  readonly feed: Pick<Feed, 'publish' | 'wait'>
  readonly clock: Clock
  readonly log: Log
  readonly stopping: AbortSignal
}) {
  const { probe, probeHere, machine, isOwn, hasForward, feed, clock, log, stopping } = options
  const news = createThrottle(
    clock,
    WORLDS_EVERY_MS,
    () => void feed.publish({ type: 'worlds', ...toGameServers(games.games()) }),
    () => feed.wait(1),
  )
  onAbort(stopping, news.cancel)
  let known = JSON.stringify(toGameServers([]))
  const games = new GameList({
    clock,
    probe,
    probeHere,
    signal: stopping,
    isOwn,
    onChange: () => {
      // What records leave out may change alone, such as the kind of ping that was answered.
      const records = JSON.stringify(toGameServers(games.games()))
      if (records !== known) news.request()
      known = records
    },
  })
  let isHeld = false
  const heldChanges = createEmitter<void>()
  const noteHeld = (next: boolean) => {
    if (next === isHeld) return
    isHeld = next
    heldChanges.emit()
  }
  const listening = options.listeners.map((listener) =>
    // A guest's own forward would carry the questions to the host.
    listener
      .listen(games.add, stopping, hasForward, noteHeld)
      .catch((error: unknown) => log.warn('cannot listen for worlds on the LAN', { cause: String(error) })),
  )
  const search = createWorldSearch({
    machine,
    probe,
    probeHere,
    onFound: (world) => games.addFound(world),
    clock,
  })
  return {
    list: games,
    port: {
      /** Whether another program keeps the port of announcements for itself, so that none is heard. */
      isHeld: (): boolean => isHeld,
      onChange: heldChanges.subscribe,
    },
    /** Searches this machine for worlds that are not announced, every few seconds as long as it is called. */
    search,
    /** Resolves when no listener listens any more, after `stopping`. */
    closed: Promise.all(listening).then(() => {}),
  }
}
