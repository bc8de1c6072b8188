import { createTcpSender } from '#core/easytier/streams/tcp/tcpSender'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: sending half of TCP')

const FIRST = 100
const SEGMENT = 1000

test('ten segments leave at first, and two more for each that is acknowledged', () => {
  const { sender, flush } = start(1_000_000)
  sender.write(new Uint8Array(50_000))
  assert.equal([flush(0).length, flush(1).length], [10, 0])
  sender.acknowledge(FIRST + SEGMENT, 1_000_000, true, 20)
  assert.equal(flush(20), [`${FIRST + 10 * SEGMENT}+1000`, `${FIRST + 11 * SEGMENT}+1000`])
  assert.is(sender.queued, 49_000)
})

test('a partial segment waits while others are outstanding', () => {
  const { sender, flush } = start(1500)
  sender.write(new Uint8Array(1700))
  assert.equal(flush(0), ['100+1000'])
  sender.acknowledge(1100, 1500, true, 10)
  assert.equal(flush(10), ['1100+700'])
})

test('without an acknowledgement the oldest segment is sent again, each time after twice as long', () => {
  const { sender, flush } = start(10_000)
  sender.write(new Uint8Array(10))
  flush(0)
  const times: number[] = []
  for (let i = 0; i < 6; i += 1) {
    times.push(sender.nextDeadline())
    assert.equal(flush(sender.nextDeadline()), ['100+10'])
  }
  assert.equal(times, [300, 900, 2100, 4500, 8500, 12_500])
  assert.is(sender.tries, 7)
})

test('three repeated acknowledgements repair a loss at once', () => {
  const { sender, flush } = start(10_000)
  sender.write(new Uint8Array(5000))
  flush(0)
  for (const at of [10, 11]) sender.acknowledge(FIRST, 10_000, true, at)
  assert.equal(flush(11), [])
  sender.acknowledge(FIRST, 10_000, false, 12)
  sender.acknowledge(FIRST, 9000, true, 12)
  assert.equal(flush(12), [], 'segments with data, and new windows, do not count')
  sender.acknowledge(FIRST, 9000, true, 13)
  assert.equal(flush(13), ['100+1000'])
})

test('a closed window is probed by one byte', () => {
  const { sender, flush } = start(0)
  sender.write(new Uint8Array(2000))
  assert.equal([flush(0), sender.nextDeadline()], [[], 300])
  assert.equal(flush(300), ['100+1'])
  sender.acknowledge(101, 5000, true, 310)
  assert.equal(flush(310), ['101+1000', '1101+999'])
})

test('FIN follows all data and takes one number', () => {
  const { sender, flush } = start(10_000)
  sender.write(new Uint8Array(10))
  sender.finish()
  assert.equal(flush(0), ['100+10', '110+FIN'])
  sender.acknowledge(110, 10_000, true, 5)
  assert.is(sender.isFinished, false)
  sender.acknowledge(111, 10_000, true, 6)
  assert.equal([sender.isFinished, sender.nextDeadline()], [true, Number.POSITIVE_INFINITY])
})

test('acknowledgements of what was never sent change nothing', () => {
  const { sender, flush } = start(10_000)
  sender.write(new Uint8Array(10))
  flush(0)
  sender.acknowledge(111, 10_000, true, 5)
  sender.acknowledge(99, 10_000, true, 5)
  assert.is(sender.queued, 10)
})

function start(window: number) {
  const sender = createTcpSender(FIRST, window, SEGMENT)
  const flush = (now: number) => {
    const sent: string[] = []
    sender.flush(now, (sequence, data, isFin) => sent.push(`${sequence}+${isFin ? 'FIN' : data.length}`))
    return sent
  }
  return { sender, flush }
}
