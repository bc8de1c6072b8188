import { loadavg } from 'node:os'
import { type NatCase, withNatCase } from '#support/namespaces/natCases'
import { hasSlowLine, WHY_NO_SLOW_LINE } from '#support/namespaces/natLine'
import type { Joined } from '#support/namespaces/natRoom'
import type { RouterKind } from '#support/namespaces/natRouter'
import { type House, hasNat, WHY_NO_NAT } from '#support/namespaces/natWorld'
import { hasPortMapping } from '#support/namespaces/portMapping'
import { createPrng, type Prng } from '#support/values/prng'
import { median } from './measure'

const PAIRS = 25
const JOINS_OF_PAIR = 8
const DIRECT_MS = 5000
/** How long a guest has to be in the room; its path is watched for no longer than counts. */
const JOIN_MS = 20_000
/** Far more than 200 joins take; the rest is left out, and said to be. */
const LIMIT_MS = 30 * 60_000
const SEED = Number(process.env.BENCH_SEED ?? 16)
const line = { delayMs: 10 }

/**
 * Joins in a row behind random routers of all kinds, IPv6 on or off, port mapping on or off, and a shared node that is dead:
 * how many are in the room, and how many of those that can be direct are so within 5 s.
 */
export async function benchNatJoins(): Promise<void> {
  if (!hasNat || !hasSlowLine) return console.log(`\nnat: skipped, ${hasNat ? WHY_NO_SLOW_LINE : WHY_NO_NAT}`)
  console.log(
    `\n${PAIRS * JOINS_OF_PAIR} joins behind random routers, 40 ms from player to player, one node dead`,
  )
  const chance = createPrng(SEED)
  const startedAt = performance.now()
  const outcomes: Outcome[] = []
  for (let pair = 0; pair < PAIRS && performance.now() - startedAt < LIMIT_MS; pair += 1) {
    const one = randomCase(chance.fork(`pair ${pair}`))
    const tries = await withNatCase(one, ({ room }) =>
      room.join(one.path, JOINS_OF_PAIR, JOIN_MS, DIRECT_MS),
    ).catch((error: unknown) => {
      console.log(`  ${one.name}: ${error}`)
      return Array.from({ length: JOINS_OF_PAIR }, (): Joined => NEVER)
    })
    outcomes.push(...tries.map((joined) => ({ joined, path: one.path })))
    show(one, tries)
  }
  summarise(outcomes)
}

type Outcome = { readonly joined: Joined; readonly path: NatCase['path'] }

const NEVER: Joined = { okMs: undefined, pathMs: undefined, carrier: undefined, timeline: [] }

function randomCase(chance: Prng): NatCase {
  const houses = { host: randomHouse(chance), guest: randomHouse(chance) }
  return {
    name: `${nameOf(houses.host)} – ${nameOf(houses.guest)}`,
    houses,
    hasDeadNode: true,
    path: canBeDirect(houses.host, houses.guest) ? 'direct' : 'relay',
    carrier: undefined,
    goals: { ok: 600, path: DIRECT_MS },
  }
}

function randomHouse(chance: Prng): House {
  const router = chance.pick<RouterKind>(['cone', 'cone', 'symmetric', 'symmetric', 'open'])
  const mapping = chance.pick<'nat-pmp' | 'upnp' | 'none'>(['nat-pmp', 'upnp', 'none', 'none', 'none'])
  return {
    router,
    line,
    blocksUdp: chance.isTrue(0.1),
    ...(chance.isTrue(0.5) && { ipv6: 'firewalled' as const }),
    ...(router !== 'open' && hasPortMapping && mapping !== 'none' && { opensPorts: mapping }),
  }
}

/** Whether two houses have a way that somebody can find: what is left is symmetric on both sides, or so without UDP. */
function canBeDirect(one: House, other: House): boolean {
  const both = [one, other]
  if (both.some(({ router, opensPorts }) => router === 'open' || opensPorts !== undefined)) return true
  const hasUdp = both.every(({ blocksUdp }) => !blocksUdp)
  if (hasUdp && both.every(({ ipv6 }) => ipv6 !== undefined)) return true
  return hasUdp
    ? both.some(({ router }) => router !== 'symmetric')
    : both.every(({ router }) => router === 'cone')
}

function nameOf({ router, blocksUdp, ipv6, opensPorts }: House): string {
  return [
    router,
    ...(ipv6 ? ['IPv6'] : []),
    ...(opensPorts ? [opensPorts] : []),
    ...(blocksUdp ? ['no UDP'] : []),
  ].join(' + ')
}

function show({ name, path }: NatCase, tries: readonly Joined[]): void {
  const times = (of: (joined: Joined) => number | undefined) =>
    tries.map((joined) => of(joined) ?? '–').join(' ')
  const carriers = [...new Set(tries.map(({ carrier }) => carrier))].join(', ')
  console.log(`  ${name.padEnd(60)}${path}: ${times(({ pathMs }) => pathMs)}   by ${carriers}`)
  if (tries.some(({ okMs }) => okMs === undefined))
    console.log(`    in the room: ${times(({ okMs }) => okMs)}`)
  if (process.env.BENCH_DETAILS === undefined) return
  const missed = tries.find(({ pathMs }) => pathMs === undefined)
  for (const entry of missed?.timeline ?? []) console.log(`      ${entry}`)
}

function summarise(outcomes: readonly Outcome[]): void {
  const inRoom = outcomes.flatMap(({ joined }) => joined.okMs ?? [])
  const possible = outcomes.filter(({ path }) => path === 'direct')
  const direct = possible.flatMap(({ joined }) => joined.pathMs ?? []).filter((ms) => ms <= DIRECT_MS)
  const share = (100 * direct.length) / Math.max(1, possible.length)
  console.log(
    `  in the room ${inRoom.length} of ${outcomes.length}, median ${median(inRoom).toFixed(0)} ms; direct within 5 s ${direct.length} of ${possible.length} that can be (${share.toFixed(1)} %, goal ≥ 95 %), median ${median(direct).toFixed(0)} ms; load ${loadavg()[0]?.toFixed(1)}`,
  )
}
