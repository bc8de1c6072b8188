import { assert, suite } from '#support/runner/suite'
import { createScenario } from './scenario'
import { describeFailure, seedsOf } from './seeds'
import { simulate } from './simulate'
import type { PlantedFault } from './simulationContext'

const test = suite('the simulator itself', { timeoutMs: 120_000 })

test('repeats a seed in every detail, whatever ran before', async () => {
  const first = await simulate(createScenario(9))
  const other = await simulate(createScenario(10))
  const again = await simulate(createScenario(9))
  assert.equal(again, first)
  assert.is.not(other.hash, first.hash)
  assert.ok(first.wholeTalks > 0 && first.steps > 300, `${first.wholeTalks} talks in ${first.steps} steps`)
})

for (const [plant, complaint] of [
  ['wrong-byte', /a wrong byte/],
  ['deaf-host', /cannot talk with the host|has lost the host|is in no room/],
  ['open-socket', /still open: .*UDP socket/],
  ['thrown-error', /thrown: .*planted/s],
  ['rejection', /nobody handles: .*planted/],
] as const satisfies readonly (readonly [PlantedFault, RegExp])[]) {
  test(`notices what is wrong on purpose, each time in the same way: ${plant}`, async () => {
    const scenario = createScenario(10)
    const right = await simulate(scenario)
    assert.equal(right.violations, [])
    const [first, again] = [await simulate(scenario, plant), await simulate(scenario, plant)]
    assert.match(first.violations.join('\n'), complaint)
    assert.is(again.hash, first.hash)
    assert.equal(again.violations, first.violations)
    const report = describeFailure(scenario, first, false)
    assert.match(report, /SEED=10 npm test -- simulator/)
    assert.match(report, complaint)
  })
}

test('notices chance that is not its own', async () => {
  const scenario = createScenario(10)
  const hashes = new Set<string>()
  for (let time = 0; time < 3; time += 1) hashes.add((await simulate(scenario, 'own-chance')).hash)
  assert.ok(hashes.size > 1)
})

test('meets every fault, every lie and every pair of routers more than once in the seeds that run by default', () => {
  const counts = new Map<string, number>()
  const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1)
  for (const scenario of defaultScenarios().filter(({ kicks }) => !kicks)) {
    const { isLarge, players, relays, faults, attacker, greedy, privacy } = scenario
    const [host, ...guests] = players
    for (const { kind } of faults) count(`fault ${kind}`)
    for (const lie of attacker?.attacks ?? []) count(`lie ${lie}`)
    for (const { kind } of greedy?.members ?? []) count(`greed ${kind}`)
    for (const { nat } of guests) count(`routers ${host?.nat} ${nat}`)
    const planned = greedy ? players.length - 1 : players.length
    count(`${isLarge ? 'large' : 'small'} ${planned} ${relays.length}`)
    count(privacy)
  }
  const kinds = (word: string) => [...counts.keys()].filter((what) => what.startsWith(word)).length
  const [faults, attacks, greeds, routers] = ['fault', 'lie', 'greed', 'routers'].map(kinds)
  assert.equal({ faults, attacks, greeds, routers }, { faults: 11, attacks: 18, greeds: 2, routers: 9 })
  // Large rooms are rare: each size is there.
  assert.equal(
    [...counts].filter(([what, times]) => times < 2 && !what.startsWith('large')),
    [],
  )
})

test('removes players in peace and amid every fault', () => {
  const counts = new Map<string, number>()
  const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1)
  const scenarios = defaultScenarios()
  for (const { kicks, faults } of scenarios) {
    if (!kicks) continue
    count(`${kicks.kicks.length}, and then as a ${kicks.disguise}`)
    for (const { kind } of faults) count(`amid ${kind}`)
    if (faults.length === 0) count('in peace')
  }
  // A router that is restarted is in `kicks.test.ts`.
  assert.is(counts.size, 4 + 10 + 1)
})

function defaultScenarios() {
  return seedsOf({}).map(createScenario)
}

test.run()
