import { type Clock, createAlarm } from '#core/async/clock'
import type { Log } from '#core/log'
import { RoomFailure } from '../../failure'
import type { LocalWorld } from '../../game/gameList'
import { isVerified } from '../../game/gameRecords'
import type { GameStatus, ProbeGame } from '../../ports'

/**
 * The host's world: found on this machine, monitored, and found again when it comes back on another port. Another world of
 * this machine takes its place only when the player chooses that. What the player has not chosen has to answer a ping, because
 * any program can accept a connection.
 */
export type World = {
  /** The port where it answers; undefined while there is none. */
  port(): number | undefined
  /** The port that the player has chosen; undefined = any announced world. */
  chosen(): number | undefined
  /** While there has been no world: one that is announced and answers no ping, for the player to choose. */
  offered(): LocalWorld | undefined
  /** Chooses another world; the current one stays until the new one answers. */
  choose(port: number): void
  /** Resolves when a world answers for the first time. @throws RoomFailure `game-gone` for an awaited one, or the signal's reason */
  waitUntilFound(signal: AbortSignal): Promise<void>
  /** Monitors the world until the signal aborts. @throws RoomFailure `game-gone`, or the signal's reason */
  watch(signal: AbortSignal): Promise<never>
}

/** A world that answers, or did. */
export type KnownWorld = {
  readonly port: number
  /** As it was announced, or as it has answered; undefined when it told none. */
  readonly name: string | undefined
}

export type WorldDependencies = {
  readonly probe: ProbeGame
  /** Worlds that were announced by this machine and accept connections. */
  readonly announcedWorlds: () => readonly LocalWorld[]
  readonly clock: Clock
  readonly log: Log
}

/** A world is gone after three refused checks in a row, or six where it has to answer pings and hangs, which drops players, too. */
const MAX_MISSES = 6
const MISSES = { refused: 2, unanswered: 1 } as const
const CHECK_MS = 5000
/** How often the announced worlds are searched. */
const SEARCH_MS = 250
/** How often a chosen port is probed while nothing answers there. */
const PROBE_MS = 1000
/** How long the room waits for the world to come back. */
const RETURN_MS = 60_000

/**
 * @param start.port the player's choice; undefined = any announced world
 * @param start.awaited a world that this player shared before: only that one is taken unasked
 * @param onPort called at each change of `port()`; where that is undefined, with the world that is gone
 * @param onOffered called at each change of `offered()`, unless a world is found
 */
export function createWorld(
  { probe, announcedWorlds, clock, log }: WorldDependencies,
  start: { readonly port: number | undefined; readonly awaited?: KnownWorld | undefined },
  onPort: (port: number | undefined, world: KnownWorld) => void,
  onOffered: () => void,
): World {
  const alarm = createAlarm(clock)
  let chosen = start.port
  let current: KnownWorld | undefined
  /** Of the current one: it was chosen by its port, so that it need not answer a ping. */
  let isChosen = false
  let misses = 0
  let offered: LocalWorld | undefined
  /** The world that stopped answering, and when. */
  let lost: (KnownWorld & { readonly at: number }) | undefined = start.awaited && {
    ...start.awaited,
    at: clock.now(),
  }

  return {
    port: () => current?.port,
    chosen: () => chosen,
    offered: () => offered,

    choose(next) {
      chosen = next
      alarm.wake()
    },

    async waitUntilFound(signal) {
      for (;;) {
        await searchAgain(signal)
        if (current !== undefined) return
        await alarm.wait(chosen === undefined ? SEARCH_MS : PROBE_MS, signal)
      }
    },

    async watch(signal) {
      for (;;) {
        if (current === undefined) await searchAgain(signal)
        else await check(current, signal)
        await alarm.wait(current === undefined ? PROBE_MS : CHECK_MS, signal)
      }
    },
  }

  async function search(signal: AbortSignal): Promise<void> {
    const announced = announcedWorlds()
    const answering = announced.filter((world) => world.isVerified).map(({ port }) => port)
    for (const candidate of chosen === undefined ? answering : [chosen]) {
      if (await take(candidate, signal)) return
    }
    offer(chosen === undefined ? announced.find((world) => !world.isVerified) : undefined)
  }

  function offer(next: LocalWorld | undefined): void {
    if (next?.port === offered?.port) return
    offered = next
    onOffered()
  }

  async function searchAgain(signal: AbortSignal): Promise<void> {
    if (lost === undefined) return search(signal)
    if (await findLost(lost, signal)) return
    if (clock.now() - lost.at >= RETURN_MS) {
      throw new RoomFailure('game-gone', 'The world does not answer any more.')
    }
  }

  /** The world that the player has chosen since, or the same one: where it was, or under the same name elsewhere. */
  async function findLost({ port, name }: KnownWorld, signal: AbortSignal): Promise<boolean> {
    if (chosen !== undefined && chosen !== port) return take(chosen, signal)
    if (await take(port, signal, chosen === port ? undefined : name)) return true
    return name !== undefined && (await findByName(name, signal))
  }

  async function findByName(name: string, signal: AbortSignal): Promise<boolean> {
    for (const { port } of announcedWorlds().filter((world) => world.name === name)) {
      if (!(await take(port, signal))) continue
      // The port that was chosen is no longer the world's.
      chosen = undefined
      return true
    }
    return false
  }

  async function check({ port, name }: KnownWorld, signal: AbortSignal): Promise<void> {
    if (chosen !== undefined && chosen !== port && (await take(chosen, signal))) return
    const status = await ask(port, signal)
    if (status && isEnough(status, isChosen || port === chosen)) {
      misses = 0
      // Its announcement may be heard later than it was found.
      current = { port, name: nameOf(status, port) ?? name }
      return
    }
    misses += MISSES[status === undefined ? 'refused' : 'unanswered']
    if (misses >= MAX_MISSES) lose({ port, name })
  }

  function lose(world: KnownWorld): void {
    log.warn('the world does not answer', { port: world.port })
    lost = { ...world, at: clock.now() }
    current = undefined
    onPort(undefined, world)
  }

  /**
   * Takes the world on this port, if it answers.
   * @param wantedName the name that it has to have; undefined = any. A world that tells none is taken
   */
  async function take(port: number, signal: AbortSignal, wantedName?: string): Promise<boolean> {
    const status = await ask(port, signal)
    if (!status || !isEnough(status, port === chosen)) return false
    const name = nameOf(status, port)
    if (wantedName !== undefined && name !== undefined && name !== wantedName) return false
    misses = 0
    lost = undefined
    offered = undefined
    if (current?.port === port) return true
    current = { port, name }
    isChosen = port === chosen
    log.info('the world answers', { port })
    onPort(port, current)
    return true
  }

  function ask(port: number, signal: AbortSignal): Promise<GameStatus | undefined> {
    return probe({ address: '127.0.0.1', port }, signal)
  }

  function nameOf({ motd }: GameStatus, port: number): string | undefined {
    return announcedWorlds().find((world) => world.port === port)?.name || motd || undefined
  }
}

/**
 * A connection alone is enough where the player has chosen the port: mods break each of the pings.
 * @see docs/decisions.md, D146
 */
function isEnough(status: GameStatus, isChosenPort: boolean): boolean {
  return isChosenPort || isVerified(status)
}
