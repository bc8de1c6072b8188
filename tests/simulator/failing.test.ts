import * as assert from 'uvu/assert'
import { suite } from '../support/suite'
import type { Plant } from './place'
import { createScenario } from './scenario'
import { describeFailure, seedsOf } from './seeds'
import { simulate } from './simulate'

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
] as const satisfies readonly (readonly [Plant, RegExp])[]) {
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

test('draws the same scenarios for ever, of every kind', () => {
  const scenarios = Array.from({ length: 400 }, (_, index) => createScenario(index + 1))
  assert.equal(scenarios[6], createScenario(7))
  const kinds = new Set(scenarios.flatMap(({ faults }) => faults.map(({ kind }) => kind)))
  const lies = new Set(scenarios.flatMap(({ liar }) => liar?.lies ?? []))
  const nats = new Set(scenarios.flatMap(({ players }) => players.map(({ nat }) => nat)))
  const sizes = new Set(scenarios.map(({ players, relays }) => `${players.length} ${relays.length}`))
  assert.equal([kinds.size, lies.size, nats.size, sizes.size], [11, 15, 3, 8])
})

test('takes one seed, many, or its own', () => {
  assert.equal([seedsOf(0, { SEED: '12' }), seedsOf(1, { SEED: '12' })], [[12], []])
  assert.equal(
    [seedsOf(0, { SEEDS: '5' }), seedsOf(1, { SEEDS: '5' })],
    [
      [2, 4],
      [1, 3, 5],
    ],
  )
  assert.throws(() => seedsOf(0, { SEED: 'x' }), /SEED=x/)
})

test.run()
