import { WindowGain } from '#internal/easytier/streams/kcp/windowGain'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: gain of the KCP window', { setUp: () => new WindowGain() })

const UNKNOWN = Number.NaN

test('it begins with 3 and stays there while there is neither queue nor loss', (gain) => {
  gain.endRound(100, 0, 40)
  gain.endRound(100, UNKNOWN, 40)
  assert.is(gain.value, 3)
})

test('a queue lowers it by a tenth for each round, to 1.2; a free path raises it by 5 %, to 2', (gain) => {
  const falling = rounds(gain, 6, () => gain.endRound(100, 7, 40))
  assert.equal(falling, [1.8, 1.62, 1.458, 1.3122, 1.2, 1.2])
  const rising = rounds(gain, 12, () => gain.endRound(100, 6, 40))
  assert.equal(rising.slice(0, 3), [1.26, 1.323, 1.3892])
  assert.equal(rising.slice(-2), [2, 2])
})

test('a queue counts from 6 ms, or from an eighth of a longer round trip', () => {
  for (const [queueing, shortest, expected] of [
    [6, 10, 3],
    [6.1, 10, 1.8],
    [12.5, 100, 3],
    [12.6, 100, 1.8],
  ] as const) {
    const gain = new WindowGain()
    gain.endRound(10, queueing, shortest)
    assert.is(gain.value, expected, `${queueing} of ${shortest}`)
  }
})

test('in the round of a stall and the next a queue is disregarded; the gain of the start falls to 2', (gain) => {
  const stalledRound = () => {
    gain.stalled()
    gain.endRound(100, 40, 40)
  }
  assert.equal(rounds(gain, 3, stalledRound), [2.85, 2.7075, 2.5721])
  assert.is(rounds(gain, 7, stalledRound).at(-1), 2)
  assert.equal(
    rounds(gain, 2, () => gain.endRound(100, 40, 40)),
    [2, 1.8],
  )
})

test('more than a tenth lost lowers it by a fifth', (gain) => {
  gain.lost()
  gain.endRound(9, 0, 40)
  assert.is(gain.value, 3, 'one of ten')
  for (let i = 0; i < 2; i += 1) gain.lost()
  gain.endRound(9, 0, 40)
  assert.is(gain.value, 1.6)
  gain.endRound(9, 0, 40)
  assert.is(Number(gain.value.toFixed(4)), 1.68, 'losses count for one round')
})

test('a long queue that stays for 8 rounds at the least gain is not ours: for 50 rounds it is disregarded', () => {
  const gain = new WindowGain()
  const queued = () => gain.endRound(100, 30, 40)
  const values = rounds(gain, 64, queued)
  const contested = values.indexOf(2)
  assert.is(contested, 4 + 8)
  assert.is(values.lastIndexOf(2), contested + 50)
  assert.is(values[contested + 51], 1.8)
})

/** The values after each round. */
function rounds(gain: WindowGain, count: number, endRound: () => void): number[] {
  return Array.from({ length: count }, () => {
    endRound()
    return Number(gain.value.toFixed(4))
  })
}

test.run()
