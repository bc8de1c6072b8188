import { assert, suite } from '#support/runner/suite'
import { createScenario } from './scenario'
import { describeFailure } from './seeds'
import { simulate } from './simulate'

const test = suite('simulated rooms from which players are removed', { timeoutMs: 120_000 })
const hashes = new Map<number, string>()

for (const [seed, what] of [
  [35, 'the host’s program is restarted, and the time of day is set'],
  [152, 'two are removed while nodes and the host are restarted'],
  [173, 'a friend comes after the kick, and another one sleeps'],
  [953, 'a router and the node are restarted, and the time of day is set'],
] as const) {
  test(`seed ${seed}: ${what}`, async () => {
    const scenario = createScenario(seed)
    assert.ok(scenario.kicks, 'the scenarios are drawn in another way: choose other seeds')
    const outcome = await simulate(scenario)
    assert.equal(outcome.violations, [], describeFailure(scenario, outcome, false))
    assert.ok(outcome.wholeTalks > 0, 'nobody has played')
    hashes.set(seed, outcome.hash)
  })
}

test('repeats a seed in every detail', async () => {
  assert.is((await simulate(createScenario(152))).hash, hashes.get(152))
})

test.run()
