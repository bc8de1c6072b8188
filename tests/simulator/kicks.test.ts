import { assert, suite } from '#support/runner/suite'
import { createScenario } from './scenario'
import { describeFailure } from './seeds'
import { simulate } from './simulate'

const test = suite('simulated rooms from which players are removed', { timeoutMs: 120_000 })

for (const [seed, what] of [
  [35, 'the host’s program is restarted, and the time of day is set'],
  [152, 'two are removed while nodes and the host are restarted'],
  [173, 'a friend comes after the kick, and another one sleeps'],
] as const) {
  test(`seed ${seed}: ${what}`, async () => {
    const scenario = createScenario(seed)
    assert.ok(scenario.kicks, 'the scenarios are drawn in another way: choose other seeds')
    const outcome = await simulate(scenario)
    assert.equal(outcome.violations, [], describeFailure(scenario, outcome, false))
    assert.ok(outcome.wholeTalks > 0, 'nobody has played')
  })
}

test('repeats a seed in every detail', async () => {
  const [first, again] = [await simulate(createScenario(152)), await simulate(createScenario(152))]
  assert.is(again.hash, first.hash)
})

test.run()
