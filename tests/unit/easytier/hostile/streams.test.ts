import { packetTypes } from '@lantern-room/easytier/wire'
import { kcpCommands, SEGMENT_HEADER_SIZE } from '#internal/easytier/streams/kcp/segments'
import { encodeStreamPacket, encodeStreamRoute, streamFlags } from '#internal/easytier/streams/streamPacket'
import { parseIpv4 } from '#internal/easytier/wire/addresses'
import { assert, suite } from '#support/runner/suite'
import { createPrng } from '#support/values/prng'
import { type AttackedRoom, type Attacker, GAME_PORT, HOST_ADDRESS, setUpAttack } from './attackedRoom'

const test = suite('easytier: streams with false data', {
  timeoutMs: 300_000,
  setUp: setUpAttack,
  tearDown: ({ room }) => room.close(),
})

const { syn, ack, fin, data, rst, ping, pong } = streamFlags

test('2,000 half-open streams: at most 256 are kept, and an open stream continues', async ({
  room,
  attacker,
  holdsLess,
}) => {
  for (let conv = 0; conv < 2000; conv += 1) {
    say(room, attacker, conv, syn, route())
    if (conv % 500 === 0) await room.checkStream()
  }
  assert.ok(attacker.received.packets < 3000)
  holdsLess(10)
  // They are forgotten in time, and then there is room again.
  for (let waited = 0; waited < 40; waited += 1) await room.clock.advance(1000)
  const again = room.guest.dial(room.host.ownId, { address: HOST_ADDRESS, port: GAME_PORT })
  await room.clock.advance(100)
  ;(await again).destroy()
  await room.checkStream()
})

test('200 open streams that send far beyond every window: buffered data stays bounded', async ({
  room,
  attacker,
  holdsLess,
}) => {
  const bytes = new Uint8Array(1176).fill(7)
  for (let conv = 0; conv < 200; conv += 1) open(room, attacker, conv)
  for (let sequence = 0; sequence < 330; sequence += 1) {
    for (let conv = 0; conv < 200; conv += 1) {
      // One after the first, so that nothing is ever in order and all has to wait.
      say(
        room,
        attacker,
        conv,
        ack | data,
        segment({ conv, command: kcpCommands.push, sequence: 1 + sequence * 3, bytes }),
      )
    }
    if (sequence % 40 === 0) await room.checkStream()
  }
  holdsLess(130)
  await room.checkStream()
})

test('20,000 segments with false windows, acknowledgements and lengths affect only their own streams', async ({
  room,
  attacker,
  holdsLess,
}) => {
  const random = createPrng(20_263).next
  const pick = (numbers: readonly number[]) => numbers[Math.floor(random() * numbers.length)] ?? 0
  const extremes = [0, 1, 2, 1023, 1024, 1025, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff]
  for (let count = 0; count < 20_000; count += 1) {
    const conv = count % 100
    if (count % 500 < 100) open(room, attacker, conv)
    const bytes = new Uint8Array(random() < 0.5 ? 0 : Math.floor(random() * 1176))
    const body = segment({
      conv: random() < 0.95 ? conv : pick(extremes),
      bytes,
      sequence: pick(extremes),
      command: pick([...Object.values(kcpCommands), kcpCommands.ack, kcpCommands.push, 85, 0]),
      unacknowledged: pick(extremes),
      window: pick([0, 1, 128, 1024, 65_535]),
      length: random() < 0.9 ? bytes.length : pick(extremes),
      timestamp: pick([...extremes, Math.floor(room.clock.now())]),
    })
    const flags = random() < 0.9 ? ack | data : pick([syn, fin, rst, ping, pong, ack, data, fin | data, 255])
    say(room, attacker, conv, flags, body)
    if (count % 1000 === 0) await room.clock.advance(10)
    if (count % 5000 === 0) await room.checkStream()
  }
  await room.checkStream()
  holdsLess(130)
})

test('a reader that keeps its window at 0: the host buffers little, and ends the stream in time', async ({
  room,
  attacker,
  holdsLess,
}) => {
  const bytes = new Uint8Array(1176).fill(7)
  for (let conv = 0; conv < 40; conv += 1) open(room, attacker, conv)
  for (let sequence = 0; sequence < 150; sequence += 1) {
    for (let conv = 0; conv < 40; conv += 1)
      say(
        room,
        attacker,
        conv,
        ack | data,
        segment({ conv, command: kcpCommands.push, sequence, bytes, window: 0 }),
      )
    if (sequence % 20 === 0) await room.clock.advance(10)
    if (sequence % 50 === 0) await room.checkStream()
  }
  holdsLess(130)
  await room.checkStream()
  attacker.far.end()
  for (let waited = 0; waited < 100; waited += 1) await room.clock.advance(1000)
  holdsLess(10, 'after the end')
  await room.checkStream()
})

function open(room: AttackedRoom, attacker: Attacker, conv: number): void {
  say(room, attacker, conv, syn, route())
  say(room, attacker, conv, ack | data, new Uint8Array(0))
}

function say(room: AttackedRoom, attacker: Attacker, conv: number, flags: number, body: Uint8Array): void {
  const header = { conv, source: attacker.id, destination: room.host.ownId, flags }
  attacker.send(packetTypes.kcpSource, encodeStreamPacket({ ...header, body }))
}

function route(): Uint8Array {
  const destination = { address: parseIpv4(HOST_ADDRESS) ?? 0, port: GAME_PORT }
  return encodeStreamRoute({ source: { address: 0, port: 0 }, destination })
}

function segment(of: {
  readonly conv: number
  readonly command: number
  readonly sequence: number
  readonly bytes: Uint8Array
  readonly unacknowledged?: number
  readonly window?: number
  readonly length?: number
  readonly timestamp?: number
}): Uint8Array {
  const whole = new Uint8Array(SEGMENT_HEADER_SIZE + of.bytes.length)
  const view = new DataView(whole.buffer)
  view.setUint32(0, of.conv, true)
  view.setUint8(4, of.command)
  view.setUint16(6, of.window ?? 1024, true)
  view.setUint32(8, of.timestamp ?? 0, true)
  view.setUint32(12, of.sequence, true)
  view.setUint32(16, of.unacknowledged ?? 0, true)
  view.setUint32(20, of.length ?? of.bytes.length, true)
  whole.set(of.bytes, SEGMENT_HEADER_SIZE)
  return whole
}

test.run()
