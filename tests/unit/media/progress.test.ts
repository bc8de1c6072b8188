import { createProgressMeter } from '#internal/media/progress'
import { assert, suite } from '#support/runner/suite'

const test = suite('progress as it is shown', { setUp })

function setUp() {
  let now = 1000
  const meter = createProgressMeter(() => now)
  const at = (ms: number, ...[progress]: Parameters<typeof meter>) => {
    now = 1000 + ms
    return meter(progress)
  }
  return at
}

test('each stage is shown at once, then at most four times a second', (at) => {
  assert.equal(at(0, { stage: 'reading' }), { stage: 'reading' })
  assert.equal(at(1, { stage: 'preparing', share: 0 }), { stage: 'preparing', percent: 0 })
  assert.is(at(200, { stage: 'preparing', share: 0.1 }), undefined)
  const fifth = { stage: 'preparing', percent: 20, seconds_left: 8 }
  assert.equal(at(2001, { stage: 'preparing', share: 0.2 }), fifth)
  assert.is(at(2100, { stage: 'preparing', share: 0.3 }), undefined)
  assert.equal(at(2101, { stage: 'storing' }), { stage: 'storing' })
})

test('a new place in the queue is shown at once', (at) => {
  for (const [ms, place, seconds] of [
    [0, 2, 20],
    [1, 1, 9],
  ] as const) {
    const shown = at(ms, { stage: 'queued', place, waitSeconds: seconds })
    assert.equal(shown, { stage: 'queued', place, seconds_left: seconds })
  }
})

test('of a body of unknown length the bytes alone are shown', (at) => {
  const receiving = (receivedBytes: number, totalBytes?: number) =>
    ({ stage: 'receiving', receivedBytes, totalBytes }) as const
  assert.equal(at(0, receiving(5000)), { stage: 'receiving', received_bytes: 5000 })
  assert.equal(at(1000, receiving(5000, 10_000)), {
    stage: 'receiving',
    received_bytes: 5000,
    percent: 50,
    seconds_left: 1,
  })
  assert.is(at(2000, receiving(20_000, 10_000))?.percent, 100)
})

test.run()
