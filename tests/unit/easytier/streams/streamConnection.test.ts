import { decodeSegments, encodeSegments, kcpCommands } from '#core/easytier/streams/kcp/segments'
import { streamFlags } from '#core/easytier/streams/streamPacket'
import { assert, suite } from '#support/runner/suite'
import { kcpSegment, openConnection } from './connectionParts'

const test = suite('easytier: stream connection', { setUp: start })

const { data, fin, rst, ping, pong } = streamFlags
const CONV = 5
const NOTHING = new Uint8Array(0)

function segment(sequence: number, command: number = kcpCommands.push): Uint8Array {
  return encodeSegments([kcpSegment({ conv: CONV, command, sequence, data: Uint8Array.of(sequence) })])
}

function start({ idleLimit = Number.POSITIVE_INFINITY } = {}) {
  const sent: number[] = []
  const packets: Uint8Array[] = []
  const counts = { wakes: 0, changes: 0, ends: 0 }
  const connection = openConnection({
    conv: CONV,
    idleLimit,
    sendData: (packet) => packets.push(packet.slice()),
    sendFlags: (flags) => sent.push(flags),
    wake() {
      counts.wakes += 1
    },
    onOver() {
      counts.ends += 1
    },
  })
  const { handle } = connection
  handle.onChange(() => {
    counts.changes += 1
  })
  return { connection, handle, sent, packets, counts }
}

test('what is written leaves with the next flush, and what comes can be read', () => {
  const { connection, handle, packets, counts } = start()
  handle.write(NOTHING)
  assert.is(counts.wakes, 0)
  handle.write(Uint8Array.of(1, 2))
  assert.equal([counts.wakes, connection.nextDeadline(), handle.queued], [1, 0, 2])
  connection.flush(1)
  const [packet = NOTHING, ...others] = packets
  assert.equal([others, handle.queued], [[], 0])
  const pushed = decodeSegments(packet)?.map((pushed) => [pushed.conv, pushed.data])
  assert.equal(pushed, [[CONV, Uint8Array.of(1, 2)]])
  counts.changes = 0
  connection.receive(data, segment(0), 2)
  assert.equal(
    [counts.changes, handle.readable, handle.read(), handle.read()],
    [1, 1, Uint8Array.of(0), undefined],
  )
})

test('pings are answered, pongs are not; a silent side is pinged after 10 s and dead after 60 s', () => {
  const { connection, handle, sent } = start()
  connection.receive(ping, NOTHING, 0)
  connection.receive(ping | pong, NOTHING, 0)
  assert.equal(sent.splice(0), [ping | pong])
  assert.is(connection.nextDeadline(), 10_000)
  for (const now of [9999, 10_000, 59_999]) connection.flush(now)
  assert.equal([sent.splice(0), handle.state], [[ping, ping], 'open'])
  connection.flush(60_000)
  assert.equal([sent, handle.state, handle.error?.reason], [[rst], 'closed', 'dead'])
})

test('a FIN is answered; what came before can be read, and before any data it is a refusal', () => {
  for (const hasData of [false, true]) {
    const { connection, handle, sent } = start()
    if (hasData) connection.receive(data, segment(0), 1)
    connection.receive(fin, NOTHING, 2)
    assert.equal([sent, connection.isOver, handle.state, handle.error], [[fin], true, 'closed', undefined])
    assert.equal([handle.wasRefused, handle.readable], [!hasData, hasData ? 1 : 0])
    assert.equal([connection.isGone(15_001), connection.isGone(15_002)], [false, true])
  }
})

test('a FIN before all data has come cuts the stream, a reset breaks it and drops its data', () => {
  const { connection, handle, counts } = start()
  connection.receive(data | fin, segment(1), 1)
  assert.equal([handle.error?.reason, counts.ends], ['cut', 1])
  const other = start()
  other.connection.receive(data, segment(0), 1)
  other.connection.receive(rst, NOTHING, 2)
  assert.equal([other.handle.error?.reason, other.handle.readable, other.sent], ['reset', 0, []])
  assert.ok(other.connection.isGone(2))
})

test('`end` sends FIN once all is delivered, and again after 250 ms without an answer', () => {
  const { connection, handle, sent } = start()
  handle.write(Uint8Array.of(1))
  handle.end()
  handle.write(Uint8Array.of(2))
  assert.is(handle.state, 'ending')
  connection.flush(1)
  assert.equal([sent, handle.queued], [[], 0])
  connection.receive(data, segment(0, kcpCommands.ack), 5)
  connection.flush(5)
  assert.equal([sent, handle.state, connection.nextDeadline()], [[fin], 'closed', 255])
  connection.flush(255)
  assert.equal(sent, [fin, fin])
})

test('`destroy` sends RST with the next flush, then to data that still comes, each 200 ms', () => {
  const { connection, handle, sent, packets, counts } = start()
  connection.receive(data, segment(0), 1)
  counts.wakes = 0
  handle.destroy()
  assert.equal([handle.error?.reason, handle.readable, sent], ['closed', 0, []])
  assert.equal([counts.wakes, connection.nextDeadline()], [1, 0])
  connection.flush(10)
  assert.equal([packets, sent], [[], [rst]])
  connection.receive(data, segment(1), 209)
  connection.receive(data, segment(0, kcpCommands.ack), 210)
  assert.is(sent.length, 1)
  connection.receive(data, segment(1), 210)
  assert.equal(sent, [rst, rst])
})

test('a stream without data ends at its limit, one with data does not', () => {
  for (const use of ['none', 'written', 'received']) {
    const { connection, handle, sent } = start({ idleLimit: 30_000 })
    if (use === 'written') handle.write(Uint8Array.of(1))
    if (use === 'received') connection.receive(data, segment(0), 1)
    connection.flush(29_999)
    assert.not(sent.includes(fin))
    connection.flush(30_000)
    assert.is(sent.includes(fin), use === 'none', use)
  }
})

test('abandoned, it says nothing and may be forgotten at once', ({ connection, handle, sent, packets }) => {
  connection.abandon('dead')
  connection.abandon('closed')
  assert.equal([handle.error?.reason, sent, connection.isGone(0)], ['dead', [], true])
  connection.flush(1)
  assert.equal(packets, [])
})

test.run()
