import { PathEstimate } from '#internal/easytier/streams/kcp/pathEstimate'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: estimate of a path', { setUp: () => new PathEstimate() })

/** A path of 100 ms, of which one round has delivered so many segments. */
function measured(inFirstRound: number) {
  const path = new PathEstimate()
  path.measured(100, 0)
  let total = 0
  let now = 0
  path.delivered(total, now)
  // In small parts, since a long pause is a stall.
  const round = (segments: number, ms = 100) => {
    for (const part of [0.2, 0.4, 0.6, 0.8, 1]) path.delivered(total + segments * part, now + ms * part)
    total += segments
    now += ms
    return path.limit(now)
  }
  return { path, round, limit: round(inFirstRound) }
}

test('before anything is known: 96 segments at any rate, lost after 50 ms', (path) => {
  assert.equal(
    [path.limit(0), path.rate(), path.time.timeOut(), path.time.smoothed],
    [96, Number.POSITIVE_INFINITY, 50, undefined],
  )
})

test('the time-out follows round trips and their deviation, within 30 ms and 2 s', (path) => {
  path.measured(100, 0)
  assert.equal([path.time.smoothed, path.time.timeOut()], [100, 300])
  path.measured(180, 0)
  assert.equal([path.time.smoothed, path.time.timeOut()], [110, 340])
  for (const [ms, timeOut] of [
    [1, 30],
    [5000, 2000],
  ] as const) {
    const other = new PathEstimate()
    other.measured(ms, 0)
    assert.is(other.time.timeOut(), timeOut)
  }
})

test('three times what a round delivered may be under way, from 16 to 2048 segments', () => {
  const { path, limit } = measured(50)
  assert.equal([limit, path.rate()], [150, 1.5])
  assert.equal([measured(1).limit, measured(5000).limit], [16, 2048])
  const { round } = measured(1)
  assert.is(round(60, 99), 16, 'the round is not over')
  assert.is(round(60, 1), 360)
  assert.is(round(300, 200), 450, 'the share of one round trip')
})

test('near us fewer are under way to a peer that acknowledges at once, fewest by UDP; farther away as many as to any', () => {
  const limitAt = (roundTrip: number, promptBy?: 'tcp' | 'udp') => {
    const path = new PathEstimate()
    if (promptBy) path.hasPromptPeer(promptBy)
    path.measured(roundTrip, 0)
    for (let ms = 0; ms <= 60; ms += 1) path.delivered(ms * 100, ms)
    return path.limit(60)
  }
  assert.equal([limitAt(0), limitAt(0, 'tcp'), limitAt(0, 'udp')], [1024, 512, 128])
  assert.equal([limitAt(3, 'tcp'), limitAt(3, 'udp')], [800, 416])
  assert.equal([limitAt(20), limitAt(20, 'tcp'), limitAt(20, 'udp')], [2048, 2048, 2048])
})

test('the best of ten rounds counts', () => {
  const { round } = measured(50)
  for (let i = 0; i < 9; i++) assert.is(round(10), 150)
  assert.is(round(10), 30)
})

test('a round without enough to send can raise the limit, and does not lower it', () => {
  const { path, round } = measured(50)
  for (let i = 0; i < 20; i++) {
    path.ranDry()
    assert.is(round(10), 150)
  }
  path.ranDry()
  assert.is(round(60), 180)
})

test('a pause of less than 12 ms is part of its round, a longer one begins the next round anew', () => {
  for (const [pause, limit] of [
    [1, 1024],
    [11, 1024],
    [12, 30],
  ] as const) {
    const path = new PathEstimate()
    path.measured(1, 0)
    path.delivered(0, 0)
    path.delivered(5, 6)
    path.delivered(10, 12)
    assert.is(path.limit(12), 30)
    let now = 12
    for (let total = 500; now < 48; total += 500) {
      now += pause
      path.wasIdle(pause, now)
      path.delivered(total, now)
    }
    assert.is(path.limit(now), limit, `${pause} ms`)
  }
})

test('a pause of more than half a round trip is a stall, behind which long round trips are no queue', () => {
  const gainAfter = (parts: readonly number[]) => {
    const { path } = measured(50)
    for (let now = 200; now < 1000; now += 100) {
      path.measured(150, now)
      for (const part of parts) path.delivered(now, now + part)
    }
    return path.rate()
  }
  assert.is(gainAfter([0, 50]) < gainAfter([0, 51]), true)
})

test('after more than a second of silence or idleness the old limit is forgotten', () => {
  for (const end of ['wasSilent', 'wasIdle'] as const) {
    const { path } = measured(50)
    path[end](1000, 100)
    assert.equal([path.limit(100), path.rate()], [150, 1.5])
    path[end](1001, 100)
    assert.equal([path.limit(100), path.rate()], [96, Number.POSITIVE_INFINITY])
  }
  const { path } = measured(10)
  path.wasSilent(1001)
  assert.is(path.limit(100), 30, 'a smaller one stays')
})

test('when the shortest round trip was not seen for 10 s, a quarter leaves for one round trip', (path) => {
  path.measured(100, 0)
  assert.equal(
    [10_000, 10_001, 10_002, 10_112, 10_113].map((now) => path.limit(now)),
    [96, 96, 24, 24, 96],
  )
})

test.run()
