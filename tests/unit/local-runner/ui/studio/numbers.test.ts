import * as assert from 'uvu/assert'
import { suite } from '#support/runner/suite'
import { shownBytes, shownTime } from '../../../../../local-runner/ui/studio/numbers'

const test = suite('numbers for people')

test('bytes', () => {
  const shown = [0, 999, 1000, 9949, 12_345, 999_400, 1_000_000, 1_936_595, 52_000_000].map(shownBytes)
  assert.equal(shown, ['0 B', '999 B', '1.0 kB', '9.9 kB', '12 kB', '999 kB', '1.0 MB', '1.9 MB', '52 MB'])
})

test('times', () => {
  assert.equal([0, 3.04, 9.96, 59.96, 61.5, 600].map(shownTime), [
    '0:00.0',
    '0:03.0',
    '0:10.0',
    '1:00.0',
    '1:01.5',
    '10:00.0',
  ])
})

test.run()
