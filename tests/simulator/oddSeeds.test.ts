import { suite } from '#support/runner/suite'
import { runSeeds, seedsOf } from './seeds'

const seeds = seedsOf(1, process.env)
const test = suite('the simulator: odd seeds', { timeoutMs: 60_000 + seeds.length * 1000 })

test.skipUnless(seeds.length > 0, 'the seed that was asked for is in the other file')(
  'rooms on bad networks, with faults and liars: no stream has a wrong byte, everybody meets again, nothing is left',
  () => runSeeds(seeds),
)

test.run()
