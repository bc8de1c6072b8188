import { PacketSize } from '#internal/easytier/streams/kcp/packetSize'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: the size of packets', { setUp: () => new PacketSize() })

const [LARGE, MIDDLE, LEAST] = [1180, 1040, 496]

/** The probes of a path that carries payloads up to `carried`, by their times; other packets always arrive. */
function probes(size: PacketSize, carried: number, from: number, to: number): string[] {
  const sent: string[] = []
  for (let now = from; now <= to; now += 100) {
    const payload = size.probe(now)
    size.heard()
    if (payload === undefined) continue
    sent.push(`${now}: ${payload}`)
    if (payload <= carried) size.answered()
  }
  return sent
}

test('the smallest is assumed, and the largest is used once a probe of that size was answered', (size) => {
  assert.equal([size.payload, size.segmentData], [LEAST, 458])
  assert.equal(probes(size, LARGE, 0, 60_000), ['0: 1180'])
  assert.equal([size.payload, size.segmentData, size.nextProbeAt], [LARGE, 1142, Number.POSITIVE_INFINITY])
})

for (const [carried, found, second] of [
  [1179, MIDDLE, []],
  [1040, MIDDLE, []],
  [1039, LEAST, ['2000: 1040', '2500: 1040']],
  [496, LEAST, ['2000: 1040', '2500: 1040']],
] as const)
  test(`over a path that carries ${carried} bytes, ${found} are used after three lost probes of each larger size`, (size) => {
    assert.equal(probes(size, carried, 0, 5000), [
      '0: 1180',
      '500: 1180',
      '1000: 1180',
      '1500: 1040',
      ...second,
    ])
    assert.is(size.payload, found)
  })

test('larger ones are tried again after 20 s', (size) => {
  probes(size, LEAST, 0, 22_900)
  assert.is(size.payload, LEAST)
  assert.equal(probes(size, LARGE, 23_000, 24_000), ['23000: 1180'])
  assert.is(size.payload, LARGE)
})

test('while nothing comes from the peer no probe counts as lost, and they are rarer', (size) => {
  const sent: string[] = []
  for (let now = 0; now < 20_000; now += 100) {
    const payload = size.probe(now)
    if (payload !== undefined) sent.push(`${now}: ${payload}`)
  }
  assert.equal(sent.slice(0, 4), ['0: 1180', '500: 1180', '1500: 1180', '2500: 1180'])
  assert.is(sent.length, 21)
  assert.ok(sent.every((one) => one.endsWith('1180')))
})

test('the answer to a ping without a body proves nothing', (size) => {
  assert.is(size.probe(0), LARGE)
  size.pinged(10)
  size.answered()
  assert.equal([size.payload, size.probe(2009), size.probe(2010)], [LEAST, undefined, LARGE])
})

test('in doubt the smallest is used at once, and probes follow no closer than half a second', (size) => {
  probes(size, LARGE, 0, 0)
  for (let now = 100; now < 2000; now += 100) {
    size.doubt(now)
    assert.is(size.payload, LEAST)
    const payload = size.probe(now)
    assert.is(payload, now % 500 === 0 ? LARGE : undefined)
    if (payload !== undefined) size.answered()
  }
})

test.run()
