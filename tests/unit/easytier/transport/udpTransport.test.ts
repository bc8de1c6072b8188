import type { Connection } from '#internal/easytier/transport/transports'
import { createUdpTransport } from '#internal/easytier/transport/udpTransport'
import { encodeStunRequest, encodeStunResponse, stunTransactionId } from '#internal/easytier/wire/stun'
import { type DatagramType, decodeDatagram, encodeDatagram } from '#internal/easytier/wire/udpFrame'
import { createFakeClock } from '#support/network/fakeClock'
import { createFakeUdpSocket } from '#support/network/replayTransports'
import { assert, suite } from '#support/runner/suite'
import { each } from '#support/values/each'

const test = suite('easytier: connections over a UDP socket', { setUp })

const FAR = { address: '20.0.0.2', port: 2000 }
const OTHER = { address: '20.0.0.2', port: 2001 }
const NONCE = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)
const { signal } = new AbortController()

test('a dial sends nine Syns, 400 ms apart and each with its own id, then fails', async () => {
  const { clock, udp, sent } = setUp()
  const failure = udp.dial(FAR, signal).catch(String)
  await clock.advance(9 * 400)
  assert.is(await failure, 'Error: No answer by UDP.')
  assert.equal(each(sent, 'at'), [0, 400, 800, 1200, 1600, 2000, 2400, 2800, 3200])
  assert.is(new Set(sent.map(({ id }) => id)).size, 9)
  assert.ok(sent.every(({ type, to }) => type === 'syn' && to === FAR))
  assert.is(clock.timers, 0)
})

test('the answer to any of its Syns opens the connection, to where it came from', async () => {
  const { clock, udp, sent, receive } = setUp()
  const dialled = udp.dial(FAR, signal)
  await clock.advance(500)
  const [first] = sent
  assert.ok(first)
  receive('sack', first.id, NONCE)
  receive('sack', first.id + 1000, first.body)
  receive('sack', first.id, first.body, OTHER)
  const connection = await dialled
  assert.equal([connection.remote, connection.localPort, connection.transport], [OTHER, 1000, 'udp'])
  connection.send(Uint8Array.of(9))
  assert.equal(sent.at(-1), { at: 500, type: 'data', id: first.id, body: Uint8Array.of(9), to: OTHER })
  assert.is(clock.timers, 0)
})

test('an aborted dial stops', async ({ clock, udp, sent }) => {
  const controller = new AbortController()
  const failure = udp.dial(FAR, controller.signal).catch(String)
  controller.abort(new Error('stopped'))
  assert.is(await failure, 'Error: stopped')
  assert.is(await udp.dial(FAR, controller.signal).catch(String), 'Error: stopped')
  await clock.advance(1000)
  assert.equal([sent.length, clock.timers], [1, 0])
})

test('a Syn is answered after accept only, and a repeated one opens nothing', (parts) => {
  const { sent, receive, accepted, accept } = parts
  receive('syn', 7, NONCE)
  assert.is(sent.length, 0)
  accept()
  receive('syn', 7, NONCE)
  receive('syn', 7, NONCE)
  assert.is(accepted.length, 1)
  assert.equal(
    sent.map(({ type, id, body }) => ({ type, id, body })),
    [
      { type: 'sack', id: 7, body: NONCE },
      { type: 'sack', id: 7, body: NONCE },
    ],
  )
  receive('syn', 7, NONCE, OTHER)
  assert.is(accepted.length, 2, 'the same number from another address is another connection')
})

test('a Syn beyond the limit is ignored until a connection has closed', () => {
  const { sent, receive, accepted, accept } = setUp(2)
  accept()
  for (const id of [1, 2, 3]) receive('syn', id, NONCE)
  assert.equal([accepted.length, sent.length], [2, 2])
  accepted[0]?.close()
  receive('syn', 3, NONCE)
  assert.equal([accepted.length, sent.length], [3, 3])
})

test('packets reach the connection of their number and address; the first 16 are held', () => {
  const { receive, accepted, accept } = setUp()
  accept()
  receive('syn', 7, NONCE)
  receive('syn', 7, NONCE, OTHER)
  for (let count = 0; count < 17; count += 1) receive('data', 7, Uint8Array.of(count))
  receive('data', 7, Uint8Array.of(99), OTHER)
  receive('data', 8, Uint8Array.of(50))
  const [first, second] = accepted.map((connection) => {
    const packets: number[] = []
    connection.onPacket((packet) => void packets.push(packet[0] ?? 0))
    return packets
  })
  assert.equal(first, [...Array(16).keys()])
  assert.equal(second, [99])
  receive('data', 7, Uint8Array.of(20))
  assert.is(first?.at(-1), 20)
})

test('a closed connection neither sends nor receives; a closed socket closes all', async () => {
  const { udp, sent, receive, accepted, accept } = setUp()
  accept()
  receive('syn', 1, NONCE)
  receive('syn', 2, NONCE)
  const [one, two] = accepted
  const packets: Uint8Array[] = []
  one?.onPacket((packet) => void packets.push(packet))
  one?.close()
  await one?.closed
  receive('data', 1, Uint8Array.of(1))
  one?.send(Uint8Array.of(1))
  assert.equal([packets.length, sent.length], [0, 2])
  udp.close()
  await Promise.all([two?.closed, udp.closed])
})

test('punches carry their number and 16 random bytes, and reach every listener', ({ udp, sent, receive }) => {
  udp.punch(0xfedcba98, FAR)
  assert.equal([sent[0]?.type, sent[0]?.id, sent[0]?.body.length], ['holePunch', 0xfedcba98, 16])
  const heard: unknown[] = []
  const end = udp.onPunch(({ tid, from }) => void heard.push(tid, from))
  receive('holePunch', 7, NONCE)
  end()
  receive('holePunch', 8, NONCE)
  assert.equal(heard, [7, FAR])
})

test('STUN reaches its listeners; a request with the network’s mark is answered after accept', () => {
  const { udp, raw, deliver } = setUp()
  const heard: Uint8Array[] = []
  udp.onStun((bytes) => void heard.push(bytes))
  const id = stunTransactionId(NONCE)
  const marked = encodeStunRequest(id)
  deliver(marked, FAR)
  assert.equal([heard.length, raw.length], [1, 0])
  udp.accept(() => {})
  deliver(encodeStunRequest(new Uint8Array(12)), FAR)
  assert.is(raw.length, 0)
  deliver(marked, FAR)
  assert.equal([raw, heard.length], [[encodeStunResponse(id, FAR)], 3])
})

type Sent = {
  readonly at: number
  readonly type: DatagramType | undefined
  readonly id: number
  readonly body: Uint8Array
  readonly to: unknown
}

function setUp(maxConnections?: number) {
  const clock = createFakeClock()
  const sent: Sent[] = []
  const raw: Uint8Array[] = []
  const accepted: Connection[] = []
  let random = 0
  const { socket, deliver } = createFakeUdpSocket(1000, (bytes, to) => {
    raw.push(bytes)
    const datagram = decodeDatagram(bytes)
    const body = Uint8Array.from(datagram?.body ?? [])
    sent.push({ at: clock.now(), type: datagram?.type, id: datagram?.connectionId ?? 0, body, to })
  })
  const udp = createUdpTransport({
    clock,
    randomBytes: (size) => new Uint8Array(size).map(() => (random += 1)),
    socket,
    ...(maxConnections === undefined ? {} : { maxConnections }),
  })
  return {
    clock,
    udp,
    sent,
    raw,
    accepted,
    accept: () => udp.accept((connection) => void accepted.push(connection)),
    deliver,
    receive: (type: DatagramType, id: number, body: Uint8Array, from = FAR) =>
      deliver(encodeDatagram(type, id, body), from),
  }
}

test.run()
