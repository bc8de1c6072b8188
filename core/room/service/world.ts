import { type Clock, createAlarm } from '#core/async/clock'
import type { Log } from '#core/log'
import { RoomFailure } from '../failure'
import type { LocalWorld } from '../game/gameList'
import type { ProbeGame } from '../ports'

/**
 * The host's world: found on this machine, monitored, and found again when it comes back on another port. Another world of
 * this machine takes its place only when the player chooses that.
 */
export type World = {
  /** The port where it answers; undefined while there is none. */
  port(): number | undefined
  /** The port that the player has chosen; undefined = any announced world. */
  chosen(): number | undefined
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
  /** Worlds that were announced by this machine and have answered. */
  readonly announcedWorlds: () => readonly LocalWorld[]
  readonly clock: Clock
  readonly log: Log
}

/** After this many failed checks in a row a world is gone. */
const MAX_MISSES = 3
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
 */
export function createWorld(
  { probe, announcedWorlds, clock, log }: WorldDependencies,
  start: { readonly port: number | undefined; readonly awaited?: KnownWorld | undefined },
  onPort: (port: number | undefined, world: KnownWorld) => void,
): World {
  const alarm = createAlarm(clock)
  let chosen = start.port
  let current: KnownWorld | undefined
  let misses = 0
  /** The world that stopped answering, and when. */
  let lost: (KnownWorld & { readonly at: number }) | undefined = start.awaited && {
    ...start.awaited,
    at: clock.now(),
  }

  return {
    port: () => current?.port,
    chosen: () => chosen,

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
    const candidates = chosen === undefined ? announcedWorlds().map(({ port }) => port) : [chosen]
    for (const candidate of candidates) {
      if (await take(candidate, signal)) return
    }
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
    const told = await nameAt(port, signal)
    if (told !== 'silent') {
      misses = 0
      // Its announcement may be heard later than it was found.
      current = { port, name: told.name ?? name }
      return
    }
    misses += 1
    if (misses >= MAX_MISSES) lose({ port, name })
  }

  function lose(world: KnownWorld): void {
    log.warn('the world does not answer', { port: world.port })
    lost = { ...world, at: clock.now() }
    current = undefined
    onPort(undefined, world)
  }

  /**
   * Takes the world on this port, if one answers.
   * @param wantedName the name that it has to have; undefined = any. A world that tells none is taken
   */
  async function take(port: number, signal: AbortSignal, wantedName?: string): Promise<boolean> {
    const told = await nameAt(port, signal)
    if (told === 'silent') return false
    const { name } = told
    if (wantedName !== undefined && name !== undefined && name !== wantedName) return false
    misses = 0
    lost = undefined
    if (current?.port === port) return true
    current = { port, name }
    log.info('the world answers', { port })
    onPort(port, current)
    return true
  }

  async function nameAt(
    port: number,
    signal: AbortSignal,
  ): Promise<{ readonly name: string | undefined } | 'silent'> {
    const status = await probe({ address: '127.0.0.1', port }, signal)
    if (status === undefined) return 'silent'
    const announced = announcedWorlds().find((world) => world.port === port)?.name
    return { name: announced || status.motd || undefined }
  }
}
