import { createPrng, type Prng } from '../support/prng'
import type { NatKind } from '../support/virtualNet'
import { drawFaults, type Fault } from './faultPlan'
import { drawLies, type LieName } from './liePlan'

/** All that a seed decides before the first packet; what happens then is decided by the same seed. */
export type Scenario = {
  readonly seed: number
  readonly privacy: 'open' | 'private'
  readonly relays: readonly RelayPlan[]
  /** The host is the first. */
  readonly players: readonly PlayerPlan[]
  readonly liar: LiarPlan | undefined
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
  /** By which carrier it is on each relay. */
  readonly carriers: readonly ('tcp' | 'udp')[]
  readonly knowsStun: boolean
  readonly clockCountsSleep: boolean
  /** How much it says in one stream at most. */
  readonly mostBytes: number
}

export type LiarPlan = {
  readonly startMs: number
  readonly endMs: number
  readonly lies: readonly LieName[]
  /**
   * Lies about members that are not there are believed by everybody, and stay: nothing is signed. So these are told
   * while all are on all shared nodes, which believe a member's own word.
   */
  readonly isAboutOthers: boolean
}

const LAST_START_MS = 2000
const ALL_ARE_THERE_MS = 4000
const FAULTS_FROM_MS = 2500
const FAULTS_TO_MS = 7000

export function createScenario(seed: number): Scenario {
  const chance = createPrng(seed).fork('scenario')
  const relays = Array.from({ length: chance.integer(1, 2) }, () => ({ line: drawLine(chance, 40) }))
  const guests = chance.pick([1, 1, 1, 1, 1, 2, 2, 3, chance.integer(1, 4)])
  const players = Array.from({ length: guests + 1 }, (_, index) => drawPlayer(chance, index, relays.length))
  const liar = chance.isTrue(0.3) ? drawLiar(chance.fork('liar')) : undefined
  const faults =
    chance.isTrue(0.75) && !liar?.isAboutOthers
      ? drawFaults(chance.fork('faults'), {
          ...{ players: players.length, relays: relays.length },
          ...{ fromMs: FAULTS_FROM_MS, toMs: FAULTS_TO_MS },
        })
      : []
  const ends = [LAST_START_MS, liar?.endMs ?? 0, ...faults.map(({ atMs, forMs }) => atMs + forMs)]
  return {
    ...{ seed, relays, players, faults, liar, calmAt: Math.max(...ends) },
    privacy: chance.isTrue(0.25) ? 'private' : 'open',
    isPatient: chance.isTrue(0.15),
  }
}

/** Whether two players need no shared node once they have met: not both behind symmetric routers, and UDP passes. */
export function canBeDirect(host: PlayerPlan, guest: PlayerPlan): boolean {
  if (!host.isDirect || !guest.isDirect) return false
  if (guest.isAtHosts) return host.nat !== 'open'
  if (host.blocksUdp || guest.blocksUdp) return false
  if (host.nat === 'open' || guest.nat === 'open') return true
  return host.knowsStun && guest.knowsStun && (host.nat === 'cone' || guest.nat === 'cone')
}

function drawLiar(chance: Prng): LiarPlan {
  const lies = drawLies(chance)
  const isAboutOthers = lies.includes('our-own-record') || lies.includes('foreign-rows')
  const startMs = chance.integer(500, 3000) + (isAboutOthers ? ALL_ARE_THERE_MS : 0)
  return { lies, isAboutOthers, startMs, endMs: startMs + chance.integer(3000, 6000) }
}

function drawPlayer(chance: Prng, index: number, relays: number): PlayerPlan {
  const nat = chance.pick<NatKind>(['cone', 'cone', 'cone', 'symmetric', 'open', 'open'])
  const isAtHosts = index > 0 && chance.isTrue(0.15)
  const blocksUdp = !isAtHosts && chance.isTrue(0.1)
  return {
    name: index === 0 ? 'host' : `guest${index}`,
    startMs: index === 0 && chance.isTrue(0.7) ? 0 : chance.integer(0, LAST_START_MS),
    ...{ nat, isAtHosts, blocksUdp },
    isDirect: chance.isTrue(0.85),
    line: drawLine(chance, 60),
    carriers: Array.from({ length: relays }, () => (chance.isTrue(0.5) || blocksUdp ? 'tcp' : 'udp')),
    knowsStun: chance.isTrue(0.6),
    clockCountsSleep: chance.isTrue(0.5),
    mostBytes: chance.pick([400, 1500, 1500, 4000, chance.integer(4000, 30_000)]),
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
