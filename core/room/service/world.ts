import { createAlarm } from '#core/async/alarm'
import type { Clock } from '#core/clock'
import type { Log } from '#core/log'
import { RoomFailure } from '../failure'
import type { ProbeGame } from '../ports'

/** The host's world: found on this machine, monitored, and found again when it comes back on another port. */
export type World = {
  /** The port where it answers; undefined while there is none. */
  port(): number | undefined
  /** The port that the player has chosen; undefined = any announced world. */
  chosen(): number | undefined
  /** Chooses another world; the current one stays until the new one answers. */
  choose(port: number): void
  /** Resolves when a world answers for the first time. @throws the signal's reason */
  waitUntilFound(signal: AbortSignal): Promise<void>
  /** Monitors the world until the signal aborts. @throws RoomFailure `game-gone`, or the signal's reason */
  watch(signal: AbortSignal): Promise<never>
}

export type WorldDependencies = {
  readonly probe: ProbeGame
  /** TCP ports of worlds that were announced by this machine and have answered. */
  readonly announcedPorts: () => readonly number[]
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
 * @param chosenPort the player's choice; undefined = any announced world
 * @param onPort called at each change of `port()`
 */
export function createWorld(
  { probe, announcedPorts, clock, log }: WorldDependencies,
  chosenPort: number | undefined,
  onPort: (port: number | undefined) => void,
): World {
  const alarm = createAlarm(clock)
  let chosen = chosenPort
  let port: number | undefined
  let misses = 0
  /** Where the world was when it stopped answering, and when. */
  let lost: { readonly port: number; readonly at: number } | undefined

  return {
    port: () => port,
    chosen: () => chosen,

    choose(next) {
      chosen = next
      alarm.wake()
    },

    async waitUntilFound(signal) {
      while (!(await search(signal))) {
        await alarm.wait(chosen === undefined ? SEARCH_MS : PROBE_MS, signal)
      }
    },

    async watch(signal) {
      for (;;) {
        if (port === undefined) await searchAgain(signal)
        else await check(port, signal)
        await alarm.wait(port === undefined ? PROBE_MS : CHECK_MS, signal)
      }
    },
  }

  /** @returns whether a world answers */
  async function search(signal: AbortSignal): Promise<boolean> {
    const candidates = chosen === undefined ? announcedPorts() : [chosen]
    for (const candidate of candidates) {
      if (!(await isAnswering(candidate, signal))) continue
      setPort(candidate)
      return true
    }
    return false
  }

  async function searchAgain(signal: AbortSignal): Promise<void> {
    if (await search(signal)) return
    if (lost === undefined) return
    if (await isAnswering(lost.port, signal)) return setPort(lost.port)
    if (clock.now() - lost.at >= RETURN_MS) {
      throw new RoomFailure('game-gone', 'The world does not answer any more.')
    }
  }

  async function check(current: number, signal: AbortSignal): Promise<void> {
    const next = chosen === current ? undefined : chosen
    if (next !== undefined && (await isAnswering(next, signal))) return setPort(next)
    if (await isAnswering(current, signal)) {
      misses = 0
      return
    }
    misses += 1
    if (misses >= MAX_MISSES) lose(current)
  }

  /** From now on any world of this machine is accepted, because the chosen one is gone. */
  function lose(current: number): void {
    log.warn('the world does not answer', { port: current })
    lost = { port: current, at: clock.now() }
    chosen = undefined
    port = undefined
    onPort(undefined)
  }

  function setPort(found: number): void {
    misses = 0
    lost = undefined
    if (found === port) return
    port = found
    log.info('the world answers', { port })
    onPort(port)
  }

  async function isAnswering(candidate: number, signal: AbortSignal): Promise<boolean> {
    return (await probe({ address: '127.0.0.1', port: candidate }, signal)) !== undefined
  }
}
