import * as assert from 'uvu/assert'
import { staysFilled } from '#core/media/mp4/rateBuffer'
import { suite } from '#support/runner/suite'

const test = suite("the decoder's buffer")
// 100 bytes, filled with 10 a second, one sample a second.
const buffer = { bits: 800, bitsPerSecond: 80, initialBits: 720 }
const stays = (...sizes: readonly number[]) => staysFilled(Uint32Array.from(sizes), buffer, 1)

test('a sample may take what there is, and no more', () => {
  assert.ok(stays(90))
  assert.not(stays(91))
})

test('what flows in between is there for the next one', () => {
  assert.ok(stays(90, 10, 10))
  assert.not(stays(90, 11))
})

test('what does not fit in is lost', () => {
  assert.ok(stays(0, 0, 0, 100))
  assert.not(stays(0, 0, 0, 101))
})

test.run()
