import { addVerdict, readGivenVerdict, type Verdict } from '#core/media/trial/verdicts'
import { verdictTable } from '#core/media/trial/verdictTable'
import { assert, suite } from '#support/runner/suite'
import { sampleTrial } from './sampleTrial'

const test = suite('the table of verdicts')

const { trial } = sampleTrial()
const phone = { model: 'Find X7 | "Ultra"', system: 'Android 15', gallery: 'Photos', family: 'oppo' }

function verdicts(...given: readonly object[]): readonly Verdict[] {
  return given.reduce<readonly Verdict[]>(
    (all, one) => addVerdict(all, readGivenVerdict({ ...phone, ...one }), trial, 0),
    [],
  )
}

const rowsOf = (table: string) =>
  table
    .trimEnd()
    .split('\n')
    .slice(2)
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))

test('a row for each gallery of each phone, what was seen by outcome, and the rest as not tried', () => {
  const all = verdicts(
    { variant: 'universal', outcome: 'plays', date: 'right' },
    { variant: 'no-mpf', outcome: 'still' },
    { variant: 'legacy', outcome: 'plays', date: 'wrong' },
    { variant: 'no-oppo-fields', outcome: 'recognised' },
    { variant: 'universal', outcome: 'not-shown', gallery: 'Google Photos', family: 'google', system: '' },
  )
  const [first = [], second = [], ...more] = rowsOf(verdictTable(all, trial))
  assert.equal(more, [])
  const [, model, system, gallery, plays, marked, still, hidden, date, unlike, untried, software] = first
  assert.equal([model, system, gallery], ['Find X7 \\| "Ultra"', 'Android 15', 'Photos'])
  const outcomes = ['`universal` `legacy`', '`no-oppo-fields`', '`no-mpf`', '–', '`legacy`']
  assert.equal([plays, marked, still, hidden, date], outcomes)
  // Of a photo without MPF nothing sure is predicted.
  assert.is(unlike, '`no-oppo-fields` `legacy`')
  assert.is(untried?.split(' ').length, trial.variants.length - 4)
  assert.is(software, 'Lantern Room 1.2.3')
  const expected = ['–', 'Google Photos', '`universal`', '`universal`']
  assert.equal([second[2], second[3], second[7], second[9]], expected)
})

test('of an unknown gallery nothing is predicted; without verdicts there is a head only', () => {
  const all = verdicts({ variant: 'universal', outcome: 'still', family: 'other' })
  assert.is(rowsOf(verdictTable(all, trial))[0]?.[9], '–')
  assert.is(verdictTable([], trial).split('\n').length, 3)
})
