import { createFairQueue } from '#internal/easytier/peer/fairQueue'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('a fair queue', { setUp })

/** 100 bytes a millisecond. */
const RATE = 100_000
const SIZE = 1000

function setUp(rate = RATE) {
  const clock = createFakeClock()
  const queue = createFairQueue(rate, clock)
  const sent: { readonly flow: string; readonly at: number }[] = []
  const add = (flow: string, size = SIZE) =>
    queue.add(flow, new Uint8Array(size), () => void sent.push({ flow, at: clock.now() }))
  const count = (flow: string) => sent.filter((one) => one.flow === flow).length
  return { clock, queue, sent, add, count }
}

test('what is within the rate goes at once, and no timer runs', async ({ clock, add, sent }) => {
  for (let round = 0; round < 20; round += 1) {
    add('a')
    await clock.advance(10)
  }
  const times = sent.map(({ at }) => at)
  const expected = Array.from({ length: 20 }, (_, round) => round * 10)
  assert.equal(times, expected)
  assert.is(clock.timers, 0)
})

test('what is over the rate is delayed to it, in its order, and what is far over it is dropped', async () => {
  const { clock, add, sent, count } = setUp()
  for (let packet = 0; packet < 100; packet += 1) add('a')
  // A burst of 50 ms, and what may wait.
  assert.is(count('a'), 6)
  await clock.advance(1000)
  const kept = count('a')
  assert.ok(kept > 10 && kept < 30, String(kept))
  assert.ok((sent.at(-1)?.at ?? 0) >= (kept - 6) * 10, JSON.stringify(sent.at(-1)))
  assert.is(clock.timers, 0)
})

test('a flow of the shortest packets keeps no more of them than are quickly taken', async () => {
  const { clock, add, count } = setUp(10_000_000)
  add('a', 1_000_000)
  for (let packet = 0; packet < 60_000; packet += 1) add('a', 16)
  await clock.advance(1000)
  assert.is(count('a'), 1 + 8000)
})

test('after a pause a burst passes at once, however long the pause was', async ({ clock, add, count }) => {
  await clock.advance(60_000)
  for (let packet = 0; packet < 10; packet += 1) add('a')
  assert.is(count('a'), 6)
})

test('a greedy flow takes nothing from a modest one, and all that is left', async () => {
  const { clock, add, count, queue } = setUp()
  for (let ms = 0; ms < 10_000; ms += 10) {
    // Ten times the rate, and a fifth of it.
    for (let packet = 0; packet < 10; packet += 1) add('greedy')
    if (ms % 50 === 0) add('modest')
    await clock.advance(10)
  }
  assert.ok(count('modest') >= 198, `modest: ${count('modest')}`)
  const total = count('greedy') + count('modest')
  assert.ok(total >= 980 && total <= 1010, `together: ${total}`)
  queue.close()
})

test('two greedy flows share alike, whatever the sizes of their packets', async () => {
  const { clock, add, count, queue } = setUp()
  for (let ms = 0; ms < 5000; ms += 10) {
    for (let packet = 0; packet < 5; packet += 1) add('large', 1400)
    for (let packet = 0; packet < 50; packet += 1) add('small', 140)
    await clock.advance(10)
  }
  const share = (count('large') * 1400) / (count('large') * 1400 + count('small') * 140)
  assert.ok(share > 0.45 && share < 0.55, String(share))
  queue.close()
})

test('what waits is bounded over all flows: the one with most gives way', async () => {
  const { clock, queue, add, sent, count } = setUp(10_000_000)
  for (let flow = 0; flow < 8; flow += 1) for (let packet = 0; packet < 600; packet += 1) add(`${flow}`)
  add('late')
  await clock.advance(1000)
  assert.ok(sent.length > 2000 && sent.length < 2600, String(sent.length))
  assert.is(count('late'), 1)
  queue.close()
})

test('a closed queue sends nothing more and leaves no timer', async ({ clock, queue, add, sent }) => {
  for (let packet = 0; packet < 20; packet += 1) add('a')
  const before = sent.length
  queue.close()
  assert.is(clock.timers, 0)
  await clock.advance(1000)
  assert.is(sent.length, before)
})

test.run()
