import type { Prng } from '#support/values/prng'
import { drawFaults, type Fault } from './faultPlan'

/**
 * A private room from which the host removes players, at any moment, also while lines are cut, nodes are dead or guests are
 * asleep. Its players run the whole program, not the network alone.
 */
export type KickPlan = {
  readonly kicks: readonly Kick[]
  /** Whether a removed player comes back as a player who stays, or as a stranger. */
  readonly disguise: 'victim' | 'stranger'
}

export type Kick = { readonly atMs: number; readonly player: number }

/** When the players are there. */
const FIRST_KICK_MS = 2000
const LAST_KICK_MS = 7000
const LONGEST_FAULT_MS = 8000
const QUIET_SHARE = 0.3
const TWO_SHARE = 0.3
const LATE_SHARE = 0.3

/** Adds players who are removed, often one who comes after that, and faults around the kicks. */
export function withKicks<
  Plan extends { readonly startMs: number; readonly mostBytes: number },
  Drawn extends {
    readonly players: readonly Plan[]
    readonly relays: readonly unknown[]
    readonly calmAt: number
  },
>(chance: Prng, drawn: Drawn, drawPlayer: (chance: Prng, index: number) => Plan) {
  const players: Plan[] = [...drawn.players]
  const add = (startMs: number) => {
    const added = drawPlayer(chance, players.length)
    players.push({ ...added, startMs: startMs, mostBytes: 200 })
    return players.length - 1
  }
  const kicks = Array.from({ length: chance.isTrue(TWO_SHARE) ? 2 : 1 }, () => ({
    atMs: chance.integer(FIRST_KICK_MS, LAST_KICK_MS),
    player: add(0),
  }))
  if (chance.isTrue(LATE_SHARE)) add(chance.integer(FIRST_KICK_MS, LAST_KICK_MS + 2000))
  const faults = chance.isTrue(QUIET_SHARE)
    ? []
    : drawFaults(chance, {
        players: players.length,
        relays: drawn.relays.length,
        most: 3,
        fromMs: FIRST_KICK_MS - 500,
        toMs: LAST_KICK_MS,
        longestMs: LONGEST_FAULT_MS,
      })
  return {
    ...drawn,
    players,
    faults,
    kicks: { kicks, disguise: chance.pick<KickPlan['disguise']>(['victim', 'stranger']) },
    calmAt: Math.max(drawn.calmAt, ...endsOf(faults), ...players.map(({ startMs }) => startMs), LAST_KICK_MS),
  }
}

function endsOf(faults: readonly Fault[]): readonly number[] {
  return faults.map(({ atMs, forMs }) => atMs + forMs)
}
