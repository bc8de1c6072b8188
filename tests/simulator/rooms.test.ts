import { suite } from '#support/runner/suite'
import { runSeeds, seedsOf } from './seeds'

const seeds = seedsOf(process.env)
const test = suite('the simulator', { timeoutMs: 60_000 + seeds.length * 1000 })

test('rooms on bad networks, with faults and liars: no stream has a wrong byte, everybody meets again, nothing is left', () =>
  runSeeds(seeds))

test.run()
