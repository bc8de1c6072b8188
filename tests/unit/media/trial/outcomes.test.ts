import { isUnlikePrediction, OUTCOMES } from '#core/media/trial/outcomes'
import { assert, suite } from '#support/runner/suite'
import { sampleTrial } from './sampleTrial'

const test = suite('what galleries make of a file, and what was predicted')

const { trial } = sampleTrial()
const [first] = trial.variants

/** The outcomes that are unlike what `inspect` says of the gallery oppo. */
function unlike(recognised: 'yes' | 'unsure' | 'no', plays: boolean, family: 'oppo' | 'other' = 'oppo') {
  const galleries = [{ gallery: 'oppo', recognised, plays, timestamp: 'right' } as const]
  const variants = first ? [{ ...first, galleries }] : []
  const variant = first?.id ?? 'universal'
  return OUTCOMES.filter((outcome) => isUnlikePrediction({ variant, family, outcome }, { variants }))
}

test('only a sure prediction can be wrong, and only of a gallery that inspect knows', () => {
  assert.equal(unlike('yes', true), ['recognised', 'still', 'not-shown'])
  assert.equal(unlike('yes', false), ['plays'])
  assert.equal(unlike('no', false), ['plays', 'recognised'])
  assert.equal(unlike('unsure', true), [])
  assert.equal(unlike('yes', true, 'other'), [])
})
