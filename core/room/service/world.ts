import { createAlarm } from '#core/async/alarm'
import type { Clock } from '#core/clock'
import type { Log } from '#core/log'
import { RoomFailure } from '../failure'
import type { ProbeGame } from '../ports'

/** The host's world: found on this machine, watched, and found again when it comes back on another port. */
export type World = {
  /** The port where it answers now; undefined while there is none. */
  port(): number | undefined
  /** The player's choice; the old world stays until the new one answers. */
  choose(port: number): void
  /** Resolves when a world answers for the first time. @throws the signal's reason */
  found(signal: AbortSignal): Promise<void>
  /** Watches until the signal aborts. @throws RoomFailure `game-gone`, or the signal's reason */
  watch(signal: AbortSignal): Promise<never>
}

export type WorldDependencies = {
  readonly probe: ProbeGame
  /** TCP ports of worlds that were announced by this machine and have answered. */
  readonly announced: () => readonly number[]
  readonly clock: Clock
  readonly log: Log
}

/** A world that fails so many checks in a row is gone. */
const MISSES = 3
const CHECK_MS = 5000
const SEARCH_MS = 250
/** How often a port that was named is asked while nothing answers there. */
const ASK_MS = 1000
/** How long the room waits for the world to come back. */
const RETURN_MS = 60_000

/**
 * @param chosen the port that the player named; any announced world without it
 * @param onPort told at each change
 */
export function createWorld(
  { probe, announced, clock, log }: WorldDependencies,
  chosen: number | undefined,
  onPort: (port: number | undefined) => void,
): World {
  const alarm = createAlarm(clock)
  let wanted = chosen
  let port: number | undefined
  let last: number | undefined
  let misses = 0
  let lostAt: number | undefined

  return {
    port: () => port,

    choose(next) {
      wanted = next
      alarm.wake()
    },

    async found(signal) {
      while (port === undefined) {
        if (await search(signal)) return
        await alarm.wait(wanted === undefined ? SEARCH_MS : ASK_MS, signal)
      }
    },

    async watch(signal) {
      for (;;) {
        if (port === undefined) await searchAgain(signal)
        else await check(port, signal)
        await alarm.wait(port === undefined ? ASK_MS : CHECK_MS, signal)
      }
    },
  }

  /** @returns whether a world answers */
  async function search(signal: AbortSignal): Promise<boolean> {
    const candidates = wanted === undefined ? announced() : [wanted]
    for (const candidate of candidates) {
      if (!(await answers(candidate, signal))) continue
      take(candidate)
      return true
    }
    return false
  }

  async function searchAgain(signal: AbortSignal): Promise<void> {
    if (await search(signal)) return
    // It may come back where it was.
    if (last !== undefined && (await answers(last, signal))) return take(last)
    if (lostAt !== undefined && clock.now() - lostAt >= RETURN_MS) {
      throw new RoomFailure('game-gone', 'The world does not answer any more.')
    }
  }

  async function check(current: number, signal: AbortSignal): Promise<void> {
    if (wanted !== undefined && wanted !== current && (await answers(wanted, signal))) return take(wanted)
    if (await answers(current, signal)) {
      misses = 0
      return
    }
    misses += 1
    if (misses < MISSES) return
    log.warn('the world does not answer', { port: current })
    last = current
    // Whatever was chosen is gone; any world of this machine may take its place.
    wanted = undefined
    lostAt = clock.now()
    port = undefined
    onPort(undefined)
  }

  function take(found: number): void {
    misses = 0
    lostAt = undefined
    if (found === port) return
    port = found
    log.info('the world answers', { port })
    onPort(port)
  }

  async function answers(candidate: number, signal: AbortSignal): Promise<boolean> {
    return (await probe({ address: '127.0.0.1', port: candidate }, signal)) !== undefined
  }
}
