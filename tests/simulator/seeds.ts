import * as assert from 'uvu/assert'
import { describeFault } from './faults'
import { createScenario, type Scenario } from './scenario'
import { type Outcome, simulate } from './simulate'

const DEFAULT_SEEDS = 300
const MOST_FAILURES = 3

type Wish = Readonly<Record<string, string | undefined>>

/** The seeds to run: 1 to 300, with `SEEDS=n` 1 to n, or only `SEED=n`. */
export function seedsOf(wish: Wish): readonly number[] {
  const only = numberOf('SEED', wish)
  if (only !== undefined) return [only]
  return Array.from({ length: numberOf('SEEDS', wish) ?? DEFAULT_SEEDS }, (_, index) => index + 1)
}

/** Runs them all. Fails with what the first failing ones were, and how to run one of them alone. */
export async function runSeeds(seeds: readonly number[]): Promise<void> {
  const failures: string[] = []
  const sum = { simulatedMs: 0, wholeTalks: 0, brokenTalks: 0, direct: 0, guests: 0, slowestMs: 0 }
  const startedAt = performance.now()
  for (const seed of seeds) {
    const scenario = createScenario(seed)
    const outcome = await simulate(scenario)
    for (const what of ['simulatedMs', 'wholeTalks', 'brokenTalks'] as const) sum[what] += outcome[what]
    sum.guests += outcome.paths.length
    sum.direct += outcome.paths.filter((path) => path === 'direct').length
    sum.slowestMs = Math.max(sum.slowestMs, outcome.recoveredAfterMs)
    if (outcome.violations.length > 0) failures.push(describeFailure(scenario, outcome, seeds.length === 1))
    if (failures.length >= MOST_FAILURES) break
  }
  const seconds = (performance.now() - startedAt) / 1000
  console.log(
    `${seeds.length} seeds in ${seconds.toFixed(1)} s, ${(sum.simulatedMs / 1000).toFixed(0)} s simulated; ` +
      `${sum.wholeTalks} streams whole, ${sum.brokenTalks} broken; ${sum.direct} of ${sum.guests} guests direct at the end; ` +
      `together again after ${sum.slowestMs / 1000} s at most`,
  )
  assert.equal(failures, [], failures.join('\n\n'))
}

/** What a person needs to find the cause. */
export function describeFailure(scenario: Scenario, outcome: Outcome, isAlone: boolean): string {
  const { seed, players, relays, attacker, greedy, kicks, faults } = scenario
  return [
    `seed ${seed} fails, alone with: SEED=${seed} npm test -- simulator`,
    ...outcome.violations.map((violation) => `  ✗ ${violation}`),
    `  trace ${outcome.hash}; ${relays.length} shared nodes, ${scenario.privacy} room, calm at ${scenario.calmAt} ms`,
    ...players.map((plan) => `  ${JSON.stringify(plan)}`),
    ...(attacker
      ? [`  a attacker from ${attacker.startMs} to ${attacker.endMs} ms: ${attacker.attacks.join(', ')}`]
      : []),
    ...(greedy ? [`  greedy members: ${JSON.stringify(greedy)}`] : []),
    ...(kicks ? [`  removed: ${JSON.stringify(kicks)}`] : []),
    ...faults.map((fault) => `  ${describeFault(fault)}`),
    ...(isAlone ? outcome.lines : outcome.lines.slice(-5)).map((line) => `    ${line}`),
  ].join('\n')
}

function numberOf(name: string, wish: Wish): number | undefined {
  const text = wish[name] ?? ''
  if (text === '') return undefined
  const number = Number(text)
  if (Number.isInteger(number) && number > 0) return number
  throw new Error(`${name}=${text}: a whole number from 1 is needed`)
}
