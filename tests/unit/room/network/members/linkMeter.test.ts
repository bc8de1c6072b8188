import { createLinkMeter } from '#internal/room/network/members/linkMeter'
import { assert, suite } from '#support/runner/suite'

const test = suite('the measures of a link')

test('the round trip is smoothed, the loss is that of the last twenty probes', () => {
  const meter = createLinkMeter()
  meter.noteAnswer(40)
  meter.noteAnswer(80)
  assert.is(meter.values().latencyMs, 50)
  meter.noteSilence()
  meter.noteSilence()
  assert.is(meter.values().loss, 0.5)
  for (let count = 0; count < 19; count += 1) meter.noteAnswer(40)
  assert.is(meter.values().loss, 1 / 20)
  meter.noteAnswer(40)
  assert.is(meter.values().loss, 0)
})

test('rates are bytes per second between two readings, and never negative', () => {
  const meter = createLinkMeter()
  meter.readTraffic({ sent: 1000, received: 0 }, 1000)
  assert.is(meter.values().sentPerSecond, undefined)
  meter.readTraffic({ sent: 7000, received: 300 }, 4000)
  assert.equal([meter.values().sentPerSecond, meter.values().receivedPerSecond], [2000, 100])
  meter.readTraffic({ sent: 0, received: 300 }, 7000)
  assert.equal([meter.values().sentPerSecond, meter.values().receivedPerSecond], [0, 0])
})

test.run()
