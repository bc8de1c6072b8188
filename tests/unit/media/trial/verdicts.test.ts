import {
  addVerdict,
  readGivenVerdict,
  readVerdicts,
  type Verdict,
  verdictsJson,
  verdictsOnFiles,
} from '#core/media/trial/verdicts'
import { assert, suite } from '#support/runner/suite'
import { isRefusal } from '#support/values/failures'
import { sampleTrial } from './sampleTrial'

const test = suite('verdicts of a trial')

const { trial } = sampleTrial()
const body = { variant: 'no-mpf', model: 'Find X7', gallery: 'Photos 15', outcome: 'still' }
const now = Date.UTC(2026, 2, 4)

test('what is not given has a default, and spaces around a text go', () => {
  assert.equal(readGivenVerdict({ ...body, model: ' Find X7 ' }), {
    ...body,
    system: '',
    family: 'other',
    date: 'unknown',
    note: '',
  })
})

const wrong: Record<string, readonly [change: unknown, sentence: RegExp]> = {
  'no object': ['text', /JSON object/],
  'no variant': [{ ...body, variant: undefined }, /^variant is missing\.$/],
  'another variant': [{ ...body, variant: 'no-clip' }, /^variant must be one of universal, no-xiaomi-tag, /],
  'no model': [{ ...body, model: '  ' }, /^model is missing\.$/],
  'a model that is no text': [{ ...body, model: 8 }, /^model must be text\.$/],
  'a long model': [{ ...body, model: 'x'.repeat(81) }, /^model must not be longer than 80 characters\.$/],
  'a gallery with a line break': [
    { ...body, gallery: 'a\nb' },
    /^gallery must not have control characters\.$/,
  ],
  'another outcome': [
    { ...body, outcome: 'great' },
    /^outcome must be one of plays, recognised, still, not-shown/,
  ],
  'another date': [{ ...body, date: true }, /^date must be one of right, wrong, unknown/],
  'another family': [{ ...body, family: 'nokia' }, /^family must be one of google, /],
  'a long note': [{ ...body, note: 'x'.repeat(301) }, /^note must not be longer/],
}
for (const [name, [given, sentence]] of Object.entries(wrong)) {
  test(`refused, naming the field: ${name}`, () => {
    assert.throws(() => readGivenVerdict(given), isRefusal('invalid-request', sentence))
  })
}

test('a verdict has the hash of its file, the program and the time; the next on the same replaces it', () => {
  const first = addVerdict([], readGivenVerdict(body), trial, now)
  assert.equal(first, [
    {
      ...readGivenVerdict(body),
      sha256: trial.variants.find(({ id }) => id === 'no-mpf')?.sha256,
      software: 'Lantern Room 1.2.3',
      at: '2026-03-04T00:00:00.000Z',
    },
  ])
  const second = addVerdict(first, readGivenVerdict({ ...body, outcome: 'plays' }), trial, now + 1000)
  const outcomes = second.map(({ outcome }) => outcome)
  assert.equal(outcomes, ['plays'])
  const third = addVerdict(second, readGivenVerdict({ ...body, gallery: 'Google Photos' }), trial, now)
  assert.is(third.length, 2)
})

test('a variant that the trial lacks, and too many verdicts, are refused', () => {
  const given = readGivenVerdict({ ...body, variant: 'silence' })
  assert.throws(() => addVerdict([], given, trial, now), isRefusal('not-found', /variant: .*silence/))
  const [one] = addVerdict([], readGivenVerdict(body), trial, now)
  const many = Array.from({ length: 5000 }, (_, i) => ({ ...one, model: `phone ${i}` })) as Verdict[]
  assert.throws(() => addVerdict(many, readGivenVerdict(body), trial, now), isRefusal('conflict', /5000/))
})

test('what is written is read; a damaged file is not written over', () => {
  const verdicts = addVerdict([], readGivenVerdict(body), trial, now)
  const bytes = new TextEncoder().encode(verdictsJson(verdicts))
  assert.equal(readVerdicts(bytes), verdicts)
  assert.equal(readVerdicts(undefined), [])
  assert.throws(() => readVerdicts(bytes.subarray(0, -3)), isRefusal('invalid-request', /verdicts\.json/))
})

test('verdicts on earlier files do not count', () => {
  const verdicts = addVerdict([], readGivenVerdict(body), trial, now)
  assert.equal(verdictsOnFiles(verdicts, trial), verdicts)
  const remade = { ...trial, variants: trial.variants.map((one) => ({ ...one, sha256: 'f'.repeat(64) })) }
  assert.equal(verdictsOnFiles(verdicts, remade), [])
})
