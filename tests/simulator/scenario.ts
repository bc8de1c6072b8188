import { createPrng, type Prng } from '#support/values/prng'
import type { NatKind } from '#support/virtualNet/virtualNet'
import { type AttackName, drawAttacks } from '../unit/easytier/attacks/attacks'
import { drawFaults, type Fault } from './faultPlan'
import { type GreedyKind, greedyKinds } from './greed'
import { type KickPlan, withKicks } from './kickPlan'

/**
 * All that a seed decides before the first packet; what happens then is decided by the same seed. Most are small, so that
 * there can be thousands: one thing goes wrong, or two. One in twenty is large: many players, and everything at once.
 */
export type Scenario = {
  readonly seed: number
  readonly isLarge: boolean
  readonly privacy: 'open' | 'private'
  readonly relays: readonly RelayPlan[]
  /** The host is the first. */
  readonly players: readonly PlayerPlan[]
  readonly attacker: AttackerPlan | undefined
  readonly greedy: GreedyPlan | undefined
  readonly kicks: KickPlan | undefined
  readonly faults: readonly Fault[]
  /** When all faults are over. */
  readonly calmAt: number
  /** Goes on for the whole time of recovery, also when everybody is together before. */
  readonly isPatient: boolean
}

export type LinePlan = {
  /** One way, from the machine to the middle of the internet. */
  readonly delayMs: number
  readonly jitterMs: number
  readonly loss: number
  readonly duplication: number
}

export type RelayPlan = { readonly line: LinePlan }

export type PlayerPlan = {
  readonly name: string
  readonly startMs: number
  readonly nat: NatKind
  readonly blocksUdp: boolean
  /** In the house of the host. */
  readonly isAtHosts: boolean
  readonly isDirect: boolean
  readonly line: LinePlan
  /** By which transport it is on each relay. */
  readonly transports: readonly ('tcp' | 'udp')[]
  readonly knowsStun: boolean
  readonly clockCountsSleep: boolean
  /** How much it says in one stream at most. */
  readonly mostBytes: number
}

export type AttackerPlan = {
  readonly startMs: number
  readonly endMs: number
  readonly attacks: readonly AttackName[]
  /**
   * Lies about members that are not there are believed by everybody, and stay: nothing is signed. So these are told
   * while all are on all shared nodes, which believe a member's own word.
   */
  readonly isAboutOthers: boolean
}

/** Members who ask for far more than their share. A friend, the last of the players, comes while they do. */
export type GreedyPlan = {
  readonly startMs: number
  readonly endMs: number
  readonly members: readonly { readonly kind: GreedyKind; readonly plan: PlayerPlan }[]
}

const LARGE_SHARE = 0.05
/** Of the scenarios in which nothing else goes wrong. They take ten times as long as others. */
const GREEDY_SHARE = 0.25
/** Of private rooms without an attacker. */
const KICK_SHARE = 0.22
/** Numbers of their houses: above those of the players. */
const FIRST_GREEDY = 20
const LAST_START_MS = 2000
/** By then everybody who is there from the beginning is on all shared nodes, and knows the others. */
const ALL_ARE_THERE_MS = 2000

export function createScenario(seed: number): Scenario {
  const chance = createPrng(seed).fork('scenario')
  const isLarge = chance.isTrue(LARGE_SHARE)
  const drawn = isLarge ? drawLarge(chance) : drawSmall(chance)
  const isQuiet = drawn.faults.length === 0 && !drawn.attacker
  const greed = createPrng(seed).fork('greed')
  const kick = createPrng(seed).fork('kicks')
  if (drawn.privacy === 'private' && !drawn.attacker && kick.isTrue(KICK_SHARE)) {
    const limits = { relays: drawn.relays.length, lastStartMs: 0, mostBytes: 0 }
    const kicked = withKicks(kick, drawn, (chance, index) => drawPlayer(chance, index, limits))
    return { seed, isLarge, ...kicked }
  }
  return { seed, isLarge, ...(isQuiet && greed.isTrue(GREEDY_SHARE) ? withGreedy(greed, drawn) : drawn) }
}

type Drawn = Omit<Scenario, 'seed' | 'isLarge'>

function withGreedy(chance: Prng, drawn: Drawn): Drawn {
  const { players, relays } = drawn
  const limits = { relays: relays.length, lastStartMs: 0, mostBytes: 200 }
  const startMs = Math.max(...players.map((player) => player.startMs)) + chance.integer(300, 1500)
  const endMs = startMs + chance.integer(10_000, 12_000)
  const friend = {
    ...drawPlayer(chance, players.length, limits),
    startMs: startMs + chance.integer(1000, 3000),
  }
  const members = Array.from({ length: chance.integer(1, 2) }, (_, at) => {
    const kind = chance.pick(greedyKinds)
    const plan = drawPlayer(chance, FIRST_GREEDY + at, limits)
    return { kind, plan: { ...plan, name: `${kind}${at + 1}`, isAtHosts: false } }
  })
  const greedy = { startMs, endMs, members }
  return { ...drawn, greedy, players: [...players, friend], calmAt: endMs }
}

function drawLarge(chance: Prng): Drawn {
  const relays = drawRelays(chance, chance.integer(1, 2))
  const guests = chance.pick([1, 1, 1, 1, 2, 2, 3, chance.integer(1, 4)])
  const players = drawPlayers(chance, guests, {
    relays: relays.length,
    lastStartMs: LAST_START_MS,
    mostBytes: chance.pick([400, 1500, 1500, 4000, chance.integer(4000, 30_000)]),
  })
  const attacker = chance.isTrue(0.3)
    ? drawAttacker(chance.fork('liar'), { attacks: 4, startMs: 3000, shortMs: 3000, longMs: 6000 })
    : undefined
  const faults =
    chance.isTrue(0.75) && !attacker?.isAboutOthers
      ? drawFaults(chance.fork('faults'), {
          players: players.length,
          relays: relays.length,
          most: 3,
          fromMs: 2500,
          toMs: 7000,
          longestMs: 10_000,
        })
      : []
  return {
    relays,
    players,
    faults,
    attacker,
    greedy: undefined,
    kicks: undefined,
    calmAt: calmAt(LAST_START_MS, faults, attacker),
    privacy: chance.isTrue(0.25) ? 'private' : 'open',
    isPatient: chance.isTrue(0.15),
  }
}

/** One or two guests who say little; a fault or two, or a attacker, for a short time. */
function drawSmall(chance: Prng): Drawn {
  const relays = drawRelays(chance, chance.isTrue(0.2) ? 2 : 1)
  const lastStartMs = chance.pick([0, 300])
  const players = drawPlayers(chance, chance.isTrue(0.1) ? 2 : 1, {
    relays: relays.length,
    lastStartMs,
    mostBytes: chance.pick([200, 1000, 3000]),
  })
  const kind = chance.pick(['faults', 'faults', 'faults', 'faults', 'attacker', 'nothing'])
  const attacker =
    kind === 'attacker'
      ? drawAttacker(chance.fork('liar'), { attacks: 2, startMs: 1000, shortMs: 1500, longMs: 2200 })
      : undefined
  const faults =
    kind === 'faults'
      ? drawFaults(chance.fork('faults'), {
          players: players.length,
          relays: relays.length,
          most: 2,
          fromMs: 100,
          toMs: 2500,
          longestMs: 3000,
        })
      : []
  return {
    relays,
    players,
    faults,
    attacker,
    greedy: undefined,
    kicks: undefined,
    calmAt: calmAt(lastStartMs, faults, attacker),
    privacy: chance.isTrue(0.15) ? 'private' : 'open',
    isPatient: false,
  }
}

function calmAt(lastStartMs: number, faults: readonly Fault[], attacker: AttackerPlan | undefined): number {
  return Math.max(lastStartMs, attacker?.endMs ?? 0, ...faults.map(({ atMs, forMs }) => atMs + forMs))
}

/** Whether two players need no shared node once they have met: not both behind symmetric routers, and UDP passes. */
export function canBeDirect(host: PlayerPlan, guest: PlayerPlan): boolean {
  if (!host.isDirect || !guest.isDirect) return false
  if (guest.isAtHosts) return host.nat !== 'open'
  if (host.blocksUdp || guest.blocksUdp) return false
  if (host.nat === 'open' || guest.nat === 'open') return true
  return host.knowsStun && guest.knowsStun && (host.nat === 'cone' || guest.nat === 'cone')
}

function drawAttacker(
  chance: Prng,
  most: {
    readonly attacks: number
    readonly startMs: number
    readonly shortMs: number
    readonly longMs: number
  },
): AttackerPlan {
  const attacks = drawAttacks(chance, most.attacks)
  const isAboutOthers = attacks.includes('our-own-record') || attacks.includes('foreign-rows')
  const startMs = chance.integer(500, most.startMs) + (isAboutOthers ? ALL_ARE_THERE_MS : 0)
  return { attacks, isAboutOthers, startMs, endMs: startMs + chance.integer(most.shortMs, most.longMs) }
}

function drawRelays(chance: Prng, count: number): readonly RelayPlan[] {
  return Array.from({ length: count }, () => ({ line: drawLine(chance, 40) }))
}

type PlayerLimits = { readonly relays: number; readonly lastStartMs: number; readonly mostBytes: number }

function drawPlayers(chance: Prng, guests: number, limits: PlayerLimits): readonly PlayerPlan[] {
  return Array.from({ length: guests + 1 }, (_, index) => drawPlayer(chance, index, limits))
}

function drawPlayer(
  chance: Prng,
  index: number,
  { relays, lastStartMs, mostBytes }: PlayerLimits,
): PlayerPlan {
  const nat = chance.pick<NatKind>(['cone', 'cone', 'cone', 'symmetric', 'open', 'open'])
  const isAtHosts = index > 0 && chance.isTrue(0.15)
  const blocksUdp = !isAtHosts && chance.isTrue(0.1)
  return {
    name: index === 0 ? 'host' : `guest${index}`,
    startMs: index === 0 && chance.isTrue(0.7) ? 0 : chance.integer(0, lastStartMs),
    nat,
    isAtHosts,
    blocksUdp,
    mostBytes,
    isDirect: chance.isTrue(0.85),
    line: drawLine(chance, 60),
    transports: Array.from({ length: relays }, () => (chance.isTrue(0.5) || blocksUdp ? 'tcp' : 'udp')),
    knowsStun: chance.isTrue(0.6),
    clockCountsSleep: chance.isTrue(0.5),
  }
}

function drawLine(chance: Prng, mostDelay: number): LinePlan {
  const isBad = chance.isTrue(0.4)
  return {
    delayMs: chance.pick([1, chance.integer(1, 10), chance.integer(1, mostDelay)]),
    jitterMs: chance.isTrue(0.3) ? chance.integer(1, 30) : 0,
    loss: isBad ? chance.integer(1, 25) / 1000 : 0,
    duplication: isBad && chance.isTrue(0.3) ? 0.02 : 0,
  }
}
