import fc from 'fast-check'
import { Kcp } from '#internal/easytier/streams/kcp/kcp'
import { createMemoryBudget } from '#internal/easytier/streams/kcp/memoryBudget'
import { createOutbox, createPacketBuffer } from '#internal/easytier/streams/kcp/outbox'
import { PacketSize } from '#internal/easytier/streams/kcp/packetSize'
import { kcpCommands } from '#internal/easytier/streams/kcp/segments'
import { LEAST_PATH_PAYLOAD, MAX_PATH_PAYLOAD } from '#internal/easytier/wire/packet'
import { assert, suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'
import { text } from '#support/values/bytes'
import { each } from '#support/values/each'
import { equalBytes } from '#support/values/equalBytes'
import { decodeSegments, encodeSegments, type KcpSegment } from '../kcpSegments'

const test = suite('easytier: KCP', { setUp: () => new Kcp(7, wide()) })

/** Of a path that carries the largest packets. */
function wide(): PacketSize {
  return new PacketSize(MAX_PATH_PAYLOAD)
}

const NOTHING = new Uint8Array(0)

test('bytes are cut to segments that fill packets of 1166 bytes', (kcp) => {
  kcp.write(Uint8Array.from({ length: 3000 }, (_, i) => i))
  const packets = flush(kcp, 1)
  assert.equal(each(packets, 'length'), [1166, 1166, 740])
  const segments = segmentsIn(packets)
  const headers = segments.map((segment) => ({ ...segment, data: NOTHING }))
  const expected = [0, 1, 2].map((sequence) => ({ ...push(sequence, ''), timestamp: 1 }))
  assert.equal(headers, expected)
})

test('small writes share a segment; acks and pushes share a packet', (kcp) => {
  for (const word of ['a', 'b', 'c']) kcp.write(text(word))
  kcp.input(encodeSegments([push(0, 'x')]), 5)
  const packets = flush(kcp, 5)
  assert.is(packets.length, 1)
  const segments = segmentsIn(packets)
  assert.equal(each(segments, 'command'), [kcpCommands.ack, kcpCommands.push])
  assert.is(new TextDecoder().decode(segments[1]?.data), 'abc')
})

test('a segment is sent again after 50 ms, then after 75, and not once it has arrived', (kcp) => {
  kcp.write(new Uint8Array(10))
  flush(kcp, 0)
  assert.equal([kcp.nextDeadline(), flush(kcp, 49).length, flush(kcp, 50).length], [50, 0, 1])
  assert.equal([kcp.nextDeadline(), flush(kcp, 124).length, flush(kcp, 125).length], [125, 0, 1])
  kcp.input(encodeSegments([ack(0, 1)]), 126)
  assert.is(kcp.nextDeadline(), Number.POSITIVE_INFINITY)
})

test('a segment that two later ones have overtaken is sent again at once', (kcp) => {
  for (let i = 0; i < 5; i++) kcp.write(new Uint8Array(1142))
  flush(kcp, 0)
  kcp.input(encodeSegments([ack(1, 0)]), 20)
  assert.equal(flush(kcp, 20), [])
  kcp.input(encodeSegments([ack(2, 0)]), 20)
  assert.equal(each(segmentsIn(flush(kcp, 20)), 'sequence'), [0])
})

test('all that is in order is acknowledged by one segment, 2 ms later; beyond a gap each by its own', () => {
  const kcp = new Kcp(7, wide())
  kcp.input(encodeSegments([push(0, 'a'), push(1, 'b'), push(3, 'd'), push(4, 'e')]), 10)
  assert.is(kcp.nextDeadline(), 12)
  const acks = segmentsIn(flush(kcp, 12))
  assert.equal(
    [each(acks, 'sequence'), each(acks, 'unacknowledged')],
    [
      [3, 4, 1],
      [2, 2, 2],
    ],
  )
  assert.ok(acks.every(({ command }) => command === kcpCommands.ack))
  assert.is(kcp.nextDeadline(), Number.POSITIVE_INFINITY)
})

test('on the smallest paths segments, and acknowledgements together, stay within 482 bytes', () => {
  const size = new PacketSize(LEAST_PATH_PAYLOAD)
  const kcp = new Kcp(7, size)
  kcp.write(new Uint8Array(1000))
  for (let i = 1; i < 60; i++) kcp.input(encodeSegments([push(i, 'x')]), 0)
  assert.equal(each(flush(kcp, 5, size), 'length'), [480, 480, 456, 482, 482, 108])
})

test('a segment that was sent whole follows in parts when the path has become smaller, and now and then whole', () => {
  const size = wide()
  const [here, there] = [new Kcp(7, size), new Kcp(7, wide())]
  const bytes = Uint8Array.from({ length: 1142 }, (_, i) => i)
  here.write(bytes)
  assert.equal(each(flush(here, 0, size), 'length'), [1166])
  size.doubt(1)
  const parts = flush(here, 50, size)
  assert.equal(each(parts, 'length'), [482, 482, 256])
  const [first, second, third] = parts
  assert.ok(first && second && third)
  for (const part of [third, first, first]) there.input(part, 51)
  assert.is(there.read(), undefined)
  there.input(second, 52)
  assert.equal(there.read(), bytes)
  assert.is(flush(here, 125, size).length, 3)
  assert.equal(each(flush(here, 250, size), 'length'), [1166])
  for (const packet of flush(there, 60)) here.input(packet, 60)
  assert.ok(here.isDelivered)
})

test('no more than 96 segments leave before the path is known', (kcp) => {
  kcp.input(encodeSegments([{ ...push(0, ''), command: kcpCommands.tell }]), 0)
  kcp.write(new Uint8Array(1_000_000))
  assert.equal([flush(kcp, 0).length, flush(kcp, 1).length], [96, 0])
})

test('a closed window is told, asked for, and told without a question when it opens', (kcp) => {
  for (let i = 0; i < 2048; i++) kcp.input(encodeSegments([push(i, 'x')]), 1)
  assert.is(windowIn(flush(kcp, 10)), 0)
  kcp.input(encodeSegments([push(2048, 'y')]), 11)
  while (kcp.read()) {}
  assert.is(kcp.nextDeadline(), 0)
  const [tell] = segmentsIn(flush(kcp, 12))
  assert.ok(tell)
  assert.ok(tell.window > 1024, `${tell.window}`)

  const shut = new Kcp(7, wide())
  shut.input(encodeSegments([{ ...push(0, 'x'), window: 0 }]), 0)
  shut.write(new Uint8Array(5))
  flush(shut, 3)
  assert.is(shut.nextDeadline(), 203)
  const [ask] = segmentsIn(flush(shut, 203))
  assert.is(ask?.command, kcpCommands.ask)
  shut.input(encodeSegments([{ ...push(0, ''), command: kcpCommands.tell }]), 210)
  assert.is(flush(shut, 210).length, 1)
})

test('what waits for an earlier segment is not changed when its packet is used again', (kcp) => {
  const packet = encodeSegments([push(1, 'second')])
  kcp.input(packet, 0)
  packet.fill(0)
  kcp.input(encodeSegments([push(0, 'first ')]), 1)
  assert.is(new TextDecoder().decode(kcp.read()), 'first second')
})

test('bytes come out exactly, however they were cut and whatever packets do', () => {
  assertProperty(
    fc.property(
      fc.array(fc.uint8Array({ minLength: 1, maxLength: 4000 }), { minLength: 1, maxLength: 20 }),
      fc.infiniteStream(fc.integer({ min: 0, max: 9 })),
      (pieces, dice) => {
        const got = transferAll(pieces, () => dice.next().value ?? 5)
        equalBytes(new Uint8Array(Buffer.concat(got)), new Uint8Array(Buffer.concat(pieces)))
      },
    ),
    { numRuns: 100 },
  )
})

test('a liar harms nobody: numbers, windows and lengths of any size', () => {
  const number = fc.oneof(fc.nat({ max: 5 }), fc.nat({ max: 2100 }), fc.integer({ min: 0, max: 0xffffffff }))
  const segment = fc.record({
    conv: fc.constant(1),
    command: fc.integer({ min: 80, max: 86 }),
    window: fc.oneof(fc.constant(0), fc.constant(65_535), fc.nat({ max: 2000 })),
    timestamp: number,
    sequence: number,
    unacknowledged: number,
    data: fc.uint8Array({ maxLength: 30 }),
  })
  assertProperty(
    fc.property(
      fc.array(fc.tuple(fc.array(segment, { maxLength: 8 }), fc.nat({ max: 300 })), { maxLength: 60 }),
      (rounds) => {
        const budget = createMemoryBudget(100_000)
        const kcp = new Kcp(1, wide(), budget)
        kcp.write(new Uint8Array(100_000))
        let now = 0
        for (const [segments, wait] of rounds) {
          kcp.input(encodeSegments(segments), now)
          now += wait
          const packets = flush(kcp, now)
          assert.ok(packets.length <= 1024)
          assert.ok(packets.every(({ length }) => length <= 1166))
          assert.ok(budget.held <= 110_000)
          assert.not.type(kcp.nextDeadline(), 'undefined')
          assert.not.ok(Number.isNaN(kcp.nextDeadline()))
        }
      },
    ),
    { numRuns: 500 },
  )
})

test('what is beyond the window, and what the budget has no room for, is dropped and not acknowledged', () => {
  const budget = createMemoryBudget(50_000)
  const kcp = new Kcp(7, wide(), budget)
  for (const far of [2048, 5000, 0x80000000, 0xffffffff - 2000])
    kcp.input(encodeSegments([push(far, 'x')]), 0)
  assert.not(each(segmentsIn(flush(kcp, 10)), 'sequence').includes(2048))
  assert.is(budget.held, 0)
  for (let i = 1; i < 1024; i++) kcp.input(encodeSegments([push(i, 'x'.repeat(1100))]), 0)
  assert.ok(budget.held < 52_000, `${budget.held}`)
  kcp.input(encodeSegments([push(0, 'now')]), 20)
  assert.is(kcp.read()?.length ? 'moves on' : 'stuck', 'moves on')
  kcp.receiver.discard()
  assert.is(budget.held, 0)
})

/** What one side reads of what the other has written, over a path where a 0 loses a packet and a 9 doubles it. */
function transferAll(pieces: readonly Uint8Array[], dice: () => number): Uint8Array[] {
  const [here, there] = [new Kcp(1, wide()), new Kcp(1, wide())]
  for (const piece of pieces) here.write(piece)
  const got: Uint8Array[] = []
  for (let now = 0; now < 60_000 && !here.isDelivered; now += 5) {
    for (const packet of flush(here, now)) arrive(there, packet, now, dice())
    for (let bytes = there.read(); bytes; bytes = there.read()) got.push(bytes)
    for (const packet of flush(there, now)) if (dice() > 0) here.input(packet, now)
  }
  return got
}

function arrive(kcp: Kcp, packet: Uint8Array, now: number, chance: number): void {
  if (chance > 0) kcp.input(packet, now)
  if (chance === 9) kcp.input(packet.slice(), now)
}

function flush(kcp: Kcp, now: number, size = wide()): readonly Uint8Array[] {
  const packets: Uint8Array[] = []
  const outbox = createOutbox(createPacketBuffer(0), (packet) => packets.push(packet.slice()), size)
  kcp.flush(now, outbox)
  return packets
}

function segmentsIn(packets: readonly Uint8Array[]): readonly KcpSegment[] {
  return packets.flatMap((packet) => decodeSegments(packet) ?? [])
}

function push(sequence: number, words: string): KcpSegment {
  return {
    conv: 7,
    command: kcpCommands.push,
    window: 2048,
    timestamp: 0,
    sequence,
    unacknowledged: 0,
    data: text(words),
  }
}

function ack(sequence: number, unacknowledged: number): KcpSegment {
  return { ...push(sequence, ''), command: kcpCommands.ack, unacknowledged }
}

function windowIn(packets: readonly Uint8Array[]): number | undefined {
  return segmentsIn(packets).at(-1)?.window
}

test.run()
