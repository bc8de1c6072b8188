import { encodeAvcSample } from '#internal/mp4/avc/annexB'
import { keepEverySecond } from '#internal/mp4/avc/keepEverySecond'
import { assert, suite } from '../../../support/runner/suite'
import { group, key, PARAMETERS, predicted, predictedUnit, unit } from './streams'

// With real pictures: tests/flows/convertClip.test.ts.

const test = suite('every second picture of a stream')
const keep = (samples: readonly Uint8Array[]) => keepEverySecond(samples, PARAMETERS)

test('those that stay are numbered anew, and predicted from the one before', () => {
  assert.equal(keep(group(6)), [key(), predicted(1, 1), predicted(2, 1)])
  assert.equal(keep([...group(4), ...group(2), ...group(3)]), [
    key(),
    predicted(1, 1),
    key(),
    key(),
    predicted(1, 1),
  ])
  assert.equal(keep([]), [])
})

test('a long group has more frames than numbers', () => {
  const kept = keep(group(40))
  assert.equal(kept, [key(), ...Array.from({ length: 19 }, (_, index) => predicted(index + 1, 1))])
})

test('of a picture in several slices each is changed; other units stay', () => {
  const slices = [predictedUnit(2, 2), predictedUnit(2, 2, 0x61)]
  const message = unit(0x06, '00000001')
  const kept = keep([...group(2), encodeAvcSample([message, ...slices])])
  const expected = encodeAvcSample([message, predictedUnit(1, 1), predictedUnit(1, 1, 0x61)])
  assert.equal(kept, [key(), expected])
})

test('nothing is kept where a picture that stays would need one that goes', () => {
  for (const [what, samples] of [
    ['each from the one before', [key(), predicted(1, 1), predicted(2, 1)]],
    ['no key frame first', [predicted(1, 1), key()]],
    ['a group of an odd length', [...group(3), ...group(2)]],
    ['a key frame at once', [key(), key()]],
    ['a number out of turn', [key(), predicted(1, 1), predicted(3, 2)]],
    ['a picture that others cannot need', [key(), predicted(1, 1), predicted(2, 2, 0x01)]],
    [
      'another kind of slice',
      [key(), predicted(1, 1), encodeAvcSample([unit(0x41, '1 0001000 1 0010 0 0 0')])],
    ],
  ] as const) {
    assert.is(keep(samples), undefined, what)
  }
  assert.is(keepEverySecond(group(2), { ...PARAMETERS, sps: unit(0x67, '01100100') }), undefined)
  assert.is(keep([key().subarray(0, 8)]), undefined)
})

test.run()
