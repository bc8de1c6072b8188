import type { OutgoingTcpSegment } from '#core/easytier/streams/tcp/tcpOutput'
import { type TcpSegment, tcpFlags } from '#core/easytier/streams/tcp/tcpSegment'
import { createTcpTransfer } from '#core/easytier/streams/tcp/tcpTransfer'
import { assert, suite } from '#support/runner/suite'
import { each } from '#support/values/each'
import { SYN } from './tcpSyn'

const test = suite('easytier: TCP transfer', { setUp: start })

const { ack, fin, psh, rst, syn } = tcpFlags
const FIRST = 1000
const OFFER = { ...SYN, maxSegment: 1000, windowScale: 2 }

/** The other side's first byte has the number 0, ours 1001. */
function start(offer: Partial<TcpSegment> = {}) {
  const sent: OutgoingTcpSegment[] = []
  const transfer = createTcpTransfer({ ...OFFER, ...offer }, FIRST, (segment) => sent.push(segment))
  const receive = (fields: Partial<TcpSegment>) =>
    transfer.receive({ ...OFFER, flags: ack, sequence: 0, acknowledged: FIRST + 1, ...fields }, 0)
  const flush = (isProbing = false) => {
    transfer.flush(0, isProbing)
    return sent
      .splice(0)
      .map(({ flags, sequence, acknowledged, data }) => [flags, sequence, acknowledged, data.length])
  }
  return { transfer, sent, receive, flush }
}

test('the SYN offers segments of 1240 and, only if the other side did, a scale', () => {
  for (const [windowScale, ours] of [
    [2, 3],
    [0, 3],
    [undefined, undefined],
  ]) {
    const { transfer, sent } = start({ windowScale })
    transfer.sendSyn()
    assert.equal(sent, [
      {
        sequence: FIRST,
        acknowledged: 0,
        flags: syn | ack,
        window: 0xffff,
        maxSegment: 1240,
        windowScale: ours,
        data: new Uint8Array(0),
      },
    ])
  }
})

test('segments have the size that the other side offers, from 64 to 1240 bytes; without an offer 536', () => {
  for (const [maxSegment, size] of [
    [1000, 1000],
    [0, 64],
    [63, 64],
    [1241, 1240],
    [undefined, 536],
  ]) {
    const { transfer, flush } = start({ maxSegment })
    transfer.write(new Uint8Array(2000))
    assert.equal(flush()[0], [psh | ack, FIRST + 1, 0, size])
  }
})

test('the window of the SYN is in bytes, later ones are scaled', () => {
  const { transfer, receive, flush } = start({ window: 10 })
  transfer.write(new Uint8Array(500))
  assert.equal(flush(), [[psh | ack, 1001, 0, 10]])
  receive({ acknowledged: 1011, window: 25 })
  assert.equal(flush(), [[psh | ack, 1011, 0, 100]])
  assert.is(transfer.queued, 490)
})

test('data in order is acknowledged by the next flush, data beyond a gap and data known already at once', () => {
  const { transfer, sent, receive, flush } = start()
  receive({ data: Uint8Array.of(1, 2, 3) })
  assert.equal([transfer.isUrgent, sent.length], [true, 0])
  assert.equal(flush(), [[ack, 1001, 3, 0]])
  assert.not(transfer.isUrgent)
  receive({ sequence: 5, data: Uint8Array.of(6) })
  receive({ data: Uint8Array.of(1, 2, 3) })
  assert.equal(each(sent.splice(0), 'acknowledged'), [3, 3])
  receive({ sequence: 3, data: Uint8Array.of(4, 5) })
  assert.equal([transfer.readable, transfer.read()], [6, Uint8Array.of(1, 2, 3, 4, 5, 6)])
  assert.equal(flush(), [[ack, 1001, 6, 0]])
})

test('an old number without data is a probe, and is answered; the next one is not', ({ receive, flush }) => {
  receive({ sequence: 0xffffffff })
  assert.equal(flush(), [[ack, 1001, 0, 0]])
  receive({ sequence: 0 })
  assert.equal(flush(), [])
  assert.equal(flush(true), [[ack, 1000, 0, 0]], 'our own probe')
})

test('both FINs count as one number', ({ transfer, receive, flush }) => {
  transfer.write(new Uint8Array(3))
  transfer.finish()
  assert.equal(flush(), [
    [psh | ack, 1001, 0, 3],
    [fin | ack, 1004, 0, 0],
  ])
  receive({ acknowledged: 1004 })
  assert.not(transfer.isFinished)
  receive({ acknowledged: 1005, flags: fin | ack })
  assert.equal([transfer.isFinished, transfer.hasEnded, transfer.queued], [true, true, 0])
  assert.equal(flush(), [[ack, 1005, 1, 0]])
})

test('a reset is believed from the next number to the end of the window', ({ transfer, sent }) => {
  const numbers = [0xffffffff, 0, 2 ** 18, 2 ** 18 + 1]
  assert.equal(numbers.map(transfer.isInWindow), [false, true, true, false])
  transfer.sendReset()
  assert.equal([sent[0]?.flags, sent[0]?.sequence], [rst | ack, 1001])
})

test('room is announced when reading has freed a quarter of the window', () => {
  for (const [segments, isUrgent] of [
    [60, false],
    [70, true],
  ] as const) {
    const { transfer, receive, flush } = start()
    for (let i = 0; i < segments; i++) receive({ sequence: i * 1000, data: new Uint8Array(1000) })
    assert.equal(flush(), [[ack, 1001, segments * 1000, 0]])
    transfer.read()
    assert.is(transfer.isUrgent, isUrgent)
  }
})
