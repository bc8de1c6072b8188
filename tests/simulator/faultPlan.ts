import type { Prng } from '#support/values/prng'

/** Something that goes wrong at a time, for a while. Players and relays are numbers; player 0 is the host. */
export type Fault = { readonly atMs: number; readonly forMs: number } & FaultKind

export type FaultKind =
  /** A machine's cable is pulled. */
  | { readonly kind: 'cable'; readonly player: number }
  /** A player and a relay do not hear each other. */
  | { readonly kind: 'no-way'; readonly player: number; readonly relay: number }
  /** Two players do not. */
  | { readonly kind: 'no-direct-way'; readonly player: number; readonly other: number }
  | { readonly kind: 'bad-line'; readonly player: number; readonly loss: number; readonly delayMs: number }
  /** The program is killed and started anew. */
  | { readonly kind: 'restart'; readonly player: number; readonly isPowerLoss: boolean }
  /** The program leaves in order and comes back. */
  | { readonly kind: 'leave'; readonly player: number }
  | { readonly kind: 'relay-restart'; readonly relay: number; readonly isPowerLoss: boolean }
  /** Another network: from the cable to the telephone. */
  | { readonly kind: 'move'; readonly player: number }
  | { readonly kind: 'router-restart'; readonly player: number; readonly isNewAddress: boolean }
  | { readonly kind: 'sleep'; readonly player: number }
  /** The time of day is set. */
  | { readonly kind: 'time-of-day'; readonly player: number; readonly byMs: number }

type Limits = {
  readonly players: number
  readonly relays: number
  /** How many faults there are at most. */
  readonly most: number
  readonly fromMs: number
  readonly toMs: number
  readonly longestMs: number
}

export function drawFaults(chance: Prng, limits: Limits): readonly Fault[] {
  return Array.from({ length: chance.integer(1, limits.most) }, () => {
    const kind = drawKind(chance, limits)
    const atMs = chance.integer(limits.fromMs, limits.toMs)
    return {
      ...kind,
      atMs,
      forMs: chance.pick([
        0,
        chance.integer(100, 1000),
        chance.integer(500, 3000),
        chance.integer(Math.min(3000, limits.longestMs / 2), limits.longestMs),
      ]),
    }
  }).sort((one, other) => one.atMs - other.atMs)
}

function drawKind(chance: Prng, { players, relays }: Limits): FaultKind {
  const player = chance.integer(0, players - 1)
  const relay = chance.integer(0, relays - 1)
  const isPowerLoss = chance.isTrue(0.5)
  return chance.pick<() => FaultKind>([
    () => ({ kind: 'cable', player }),
    () => ({ kind: 'no-way', player, relay }),
    () => ({ kind: 'no-direct-way', player: 0, other: chance.integer(1, players - 1) }),
    () => ({ kind: 'bad-line', player, loss: chance.integer(5, 40) / 100, delayMs: chance.integer(0, 100) }),
    () => ({ kind: 'restart', player, isPowerLoss }),
    () => ({ kind: 'leave', player }),
    () => ({ kind: 'relay-restart', relay, isPowerLoss }),
    () => ({ kind: 'move', player }),
    () => ({ kind: 'router-restart', player, isNewAddress: chance.isTrue(0.5) }),
    () => ({ kind: 'sleep', player }),
    () => ({
      kind: 'time-of-day',
      player,
      byMs: chance.pick([-86_400_000, -3000, 3000, 7_200_000, 864_000_000]),
    }),
  ])()
}
