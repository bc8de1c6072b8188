import { StreamError } from '#core/easytier/streams/streamError'
import { createTcpConnection, type TcpHandle } from '#core/easytier/streams/tcp/tcpConnection'
import type { OutgoingTcpSegment } from '#core/easytier/streams/tcp/tcpOutput'
import { type TcpSegment, tcpFlags } from '#core/easytier/streams/tcp/tcpSegment'
import { assert, suite } from '#support/runner/suite'
import { SYN } from './tcpSyn'

const test = suite('easytier: TCP connection', { setUp: start })

const { ack, fin, psh, rst, syn } = tcpFlags

/** The other side's first byte has the number 100, ours 501. */
function start({ isOpen = true } = {}) {
  const sent: OutgoingTcpSegment[] = []
  const opened: TcpHandle[] = []
  const connection = createTcpConnection({
    peerId: 7,
    syn: { ...SYN, sequence: 99 },
    first: 500,
    now: 0,
    send: (segment) => sent.push(segment),
    onOpen: (handle) => opened.push(handle),
    wake() {},
  })
  const receive = (fields: Partial<TcpSegment>, now = 0) =>
    connection.receive({ ...SYN, flags: ack, sequence: 100, acknowledged: 501, ...fields }, now)
  const tick = (now: number) => {
    connection.tick(now)
    return sent.splice(0).map(({ flags, sequence }) => [flags, sequence])
  }
  if (isOpen) receive({})
  return { connection, handle: connection.handle, opened, receive, tick, sent }
}

test('SYN|ACK is sent each 500 ms and for each SYN; without an answer it is forgotten after 10 s', () => {
  const { connection, receive, tick, sent, opened } = start({ isOpen: false })
  assert.equal(tick(0), [[syn | ack, 500]])
  assert.equal([connection.nextDeadline(), tick(499), tick(500)], [500, [], [[syn | ack, 500]]])
  receive({ flags: syn, sequence: 99 }, 600)
  assert.equal([sent.splice(0).length, connection.nextDeadline()], [1, 1100])
  tick(9999)
  assert.not(connection.isGone(9999))
  assert.equal([tick(10_000), connection.isGone(10_000), opened], [[], true, []])
})

test('it opens once, when its own SYN is acknowledged', () => {
  const { receive, opened, tick } = start({ isOpen: false })
  tick(0)
  for (const acknowledged of [500, 502]) receive({ acknowledged })
  assert.equal(opened, [])
  receive({ data: Uint8Array.of(1) })
  receive({ data: Uint8Array.of(1) })
  assert.equal([opened.length, opened[0]?.peerId, opened[0]?.read()], [1, 7, Uint8Array.of(1)])
})

test('a reset within the window breaks it, one from elsewhere does not', () => {
  const { connection, handle, receive } = start()
  receive({ flags: rst, sequence: 99 }, 5)
  assert.is(handle.state, 'open')
  receive({ flags: rst, sequence: 100 }, 5)
  assert.equal([handle.state, handle.error?.reason, connection.isGone(5)], ['closed', 'reset', true])
})

test('`end` delivers the rest and FIN, and waits 10 s for the FIN of the other side', () => {
  const { connection, handle, receive, tick } = start()
  handle.write(new Uint8Array(3))
  handle.end()
  handle.write(new Uint8Array(3))
  assert.equal(tick(1), [
    [psh | ack, 501],
    [fin | ack, 504],
  ])
  receive({ acknowledged: 504 }, 2)
  assert.is(handle.state, 'ending')
  receive({ acknowledged: 505 }, 2)
  assert.equal([handle.state, handle.error], ['closed', undefined])
  assert.equal([connection.isGone(10_001), connection.isGone(10_002)], [false, true])
  receive({ acknowledged: 505, flags: fin | ack }, 100)
  assert.equal(tick(100), [[ack, 505]])
  assert.equal([connection.isGone(1099), connection.isGone(1100)], [false, true], 'a second after its FIN')
})

test('after the FIN of the other side what came can be read, and more can be written', () => {
  const { handle, receive, tick } = start()
  receive({ data: Uint8Array.of(8), flags: fin | ack })
  assert.equal([handle.hasEnded, handle.state, handle.read()], [true, 'open', Uint8Array.of(8)])
  handle.write(new Uint8Array(1))
  assert.equal(tick(1), [[psh | ack, 501]])
})

test('`destroy` drops what came, and the next tick resets the other side', () => {
  const { connection, handle, receive, tick } = start()
  receive({ data: Uint8Array.of(8) })
  handle.destroy()
  assert.equal([handle.state, handle.error?.reason, handle.readable], ['closed', 'closed', 0])
  assert.equal([connection.nextDeadline(), connection.isGone(9)], [0, false])
  assert.equal([tick(9), tick(10)], [[[rst | ack, 501]], []])
  assert.ok(connection.isGone(9))
})

test('a silent side is probed after 60 s, then each 10 s, and is dead after 120 s', () => {
  const { connection, handle, tick } = start()
  assert.equal([connection.nextDeadline(), tick(0), connection.nextDeadline()], [0, [], 60_000])
  assert.equal([tick(59_999), tick(60_000), connection.nextDeadline()], [[], [[ack, 500]], 70_000])
  tick(119_999)
  assert.is(handle.state, 'open')
  assert.equal(tick(120_000), [[rst | ack, 501]])
  assert.equal([handle.error?.reason, connection.isGone(120_000)], ['dead', true])
})

test('any packet of the other side shows that it is there', ({ handle, receive, tick }) => {
  receive({}, 100_000)
  assert.equal([tick(159_999), tick(160_000).length, handle.state], [[], 1, 'open'])
})

test('abandoned, it says nothing and keeps the reason of its end', ({ connection, handle, tick }) => {
  connection.abandon(new StreamError('cancelled'))
  connection.abandon(new StreamError('dead'))
  assert.equal([handle.error?.reason, connection.isGone(0), tick(0)], ['cancelled', true, []])
})
