import { readTrialRecord } from '#core/media/trial/trialRecord'
import { assert, suite } from '#support/runner/suite'
import { sampleTrial } from './sampleTrial'

const test = suite('the index of a trial')

const { trial } = sampleTrial()
const read = (value: unknown) => readTrialRecord(new TextEncoder().encode(JSON.stringify(value)))
const predicted = (id: string, gallery: string) =>
  trial.variants.find((one) => one.id === id)?.galleries.find((one) => one.gallery === gallery)

test('it has what inspect predicts of each file', () => {
  assert.equal(predicted('universal', 'xiaomi'), {
    gallery: 'xiaomi',
    recognised: 'yes',
    plays: true,
    timestamp: 'right',
  })
  assert.is(predicted('no-xiaomi-tag', 'xiaomi')?.recognised, 'no')
  assert.is(predicted('no-oppo-comment', 'oppo')?.recognised, 'unsure')
  assert.is(predicted('legacy', 'oppo')?.recognised, 'no')
  assert.is(predicted('no-samsung-trailer', 'samsung')?.recognised, 'no')
  assert.is(predicted('timestamp-absent', 'google')?.timestamp, 'missing')
  assert.is(predicted('huawei', 'huawei')?.recognised, 'yes')
  assert.is(predicted('apple', 'apple')?.recognised, 'yes')
})

test('what is written is read, and nothing else', () => {
  assert.equal(read(trial), trial)
  assert.is(read({ ...trial, version: 2 }), undefined)
  assert.is(readTrialRecord(new TextEncoder().encode('{')), undefined)
})

test('a file outside the folder is not read', () => {
  for (const file of ['../a.jpg', '/etc/passwd', 'a/b.jpg', 'a\\b.jpg', 'C:a.jpg', '.hidden', '']) {
    const variants = trial.variants.map((one) => ({ ...one, file }))
    assert.is(read({ ...trial, variants }), undefined, file)
  }
})
