import type { LinkEvent } from '#core/room/report/linkEvents'
import type { Fault, FaultKind } from './faultPlan'
import { createScenario, type Scenario } from './scenario'

/** What is replayed begins when all players of a scenario are there. */
const BEGIN_MS = 2500
/** A loss whose end the report does not have. */
const UNENDED_MS = 3000
const LONGEST_MS = 10_000

/**
 * The scenario of this seed with what a report tells instead of its own faults: shared nodes that were lost and came back,
 * and direct paths that broke and were found again, at the report's own pace.
 */
export function replayLinks(links: readonly LinkEvent[], seed: number): Scenario {
  const scenario = createScenario(seed)
  const faults = faultsOf(links, scenario)
  const calmAt = Math.max(BEGIN_MS, ...faults.map(({ atMs, forMs }) => atMs + forMs))
  return { ...scenario, faults, attacker: undefined, calmAt }
}

export function faultsOf(
  links: readonly LinkEvent[],
  { players, relays }: Pick<Scenario, 'players' | 'relays'>,
): readonly Fault[] {
  const self = links.some((link) => link.kind === 'state' && link.role === 'guest') ? 1 : 0
  const startedAt = Date.parse(links[0]?.at ?? '')
  const faults: Fault[] = []
  const open = new Map<string, { readonly kind: FaultKind; readonly atMs: number }>()
  const wasUp = new Set<string>()
  for (const link of links) {
    const what = whatOf(link)
    if (!what) continue
    const atMs = BEGIN_MS + Date.parse(link.at) - startedAt
    if (what.isUp) end(what.key, atMs)
    else if (wasUp.has(what.key) && !open.has(what.key)) open.set(what.key, { kind: what.kind, atMs })
    if (what.isUp) wasUp.add(what.key)
  }
  for (const [key, { atMs }] of [...open]) end(key, atMs + UNENDED_MS)
  return faults.sort((one, other) => one.atMs - other.atMs)

  function end(key: string, untilMs: number): void {
    const begun = open.get(key)
    if (!begun) return
    open.delete(key)
    faults.push({ ...begun.kind, atMs: begun.atMs, forMs: Math.min(LONGEST_MS, untilMs - begun.atMs) })
  }

  /** What is up or down, under a key. */
  function whatOf(link: LinkEvent): { key: string; isUp: boolean; kind: FaultKind } | undefined {
    if (link.kind === 'node') {
      const relay = (link.node - 1) % relays.length
      return { key: `node ${relay}`, isUp: link.isConnected, kind: { kind: 'no-way', player: self, relay } }
    }
    if (link.kind !== 'player') return undefined
    const other = 1 + ((link.player - 1) % (players.length - 1))
    const isUp = link.path === 'direct' || link.path === 'lan'
    return { key: `player ${other}`, isUp, kind: { kind: 'no-direct-way', player: 0, other } }
  }
}
