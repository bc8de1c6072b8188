import { assert, suite } from '#support/runner/suite'
import { createSimulation } from './simulation'
import { createStreamPeers, WIRE_OVERHEAD } from './streamPeers'

/** Streams over paths that lose all larger packets and tell nobody. Sizes are those of payloads, with the header of a stream. */

const test = suite('easytier: streams over small paths')

const LINE = { delayMs: 20, bitsPerSecond: 20e6, overhead: WIRE_OVERHEAD }

/** Two peers with a stream between, over which bytes are sent. */
async function world(maxBytes: number | undefined, withOlder = false) {
  const simulation = createSimulation(5)
  const peers = createStreamPeers(simulation, maxBytes === undefined ? LINE : { ...LINE, maxBytes })
  // An older version ignores segments with the command 85.
  if (withOlder) peers.opener.filter = (_type, payload) => payload[18] !== 85
  const [here, there] = await peers.open()
  let sent = 0
  /** Writes the bytes. @returns what waits until they have been read, at most 60 s, and tells the milliseconds */
  const startTransfer = (size: number) => {
    const start = simulation.now
    const first = sent
    let got = 0
    here.write(Uint8Array.from({ length: size }, (_, i) => (first + i) % 251))
    sent += size
    const read = () => {
      for (let bytes = there.read(); bytes; bytes = there.read()) {
        assert.ok(
          bytes.every((byte, i) => byte === (first + got + i) % 251),
          'other bytes',
        )
        got += bytes.length
      }
      peers.settle()
    }
    return () =>
      simulation.run(start + 60_000, () => got >= size, read) ? simulation.now - start : undefined
  }
  return {
    peers,
    link: peers.opener.link,
    startTransfer,
    transfer: (size: number) => startTransfer(size)(),
    change(bytes: number | undefined): void {
      const { opener, acceptor } = peers
      for (const { link } of [opener, acceptor]) link.change({ maxBytes: bytes ?? Number.POSITIVE_INFINITY })
    },
    wait(ms: number): void {
      simulation.run(simulation.now + ms, () => false, peers.settle)
    },
  }
}

for (const [maxBytes, payload, limit] of [
  [undefined, 1180, 1100],
  [1180, 1180, 1100],
  [1100, 1040, 1400],
  [1040, 1040, 1400],
  [1039, 496, 1500],
  [496, 496, 1500],
] as const)
  test(`two megabytes pass a path of ${maxBytes ?? 'any'} bytes, in packets of ${payload}`, async () => {
    const { peers, transfer, wait } = await world(maxBytes)
    const took = transfer(2_000_000)
    assert.ok(took !== undefined && took < limit, `${took} ms`)
    wait(3000)
    assert.is(peers.opener.streams.payloadTo(peers.acceptor.id), payload)
    assert.is(peers.acceptor.streams.payloadTo(peers.opener.id), payload)
  })

for (const bytes of [1040, 600, 496])
  test(`a stream goes on within a second when its path carries ${bytes} bytes from now on, and grows with it`, async () => {
    const { peers, change, transfer, wait } = await world(undefined)
    transfer(1_000_000)
    change(bytes)
    const small = transfer(1_000_000)
    assert.ok(small !== undefined && small < 700 + 1000, `${small} ms`)
    change(undefined)
    wait(25_000)
    assert.is(peers.opener.streams.payloadTo(peers.acceptor.id), 1180)
  })

test('segments on their way when the path becomes smaller arrive all the same', async () => {
  const { link, change, transfer, startTransfer, wait } = await world(undefined)
  transfer(500_000)
  const before = link.stats.sent
  const taken = startTransfer(3_000_000)
  wait(100)
  change(496)
  const took = taken()
  assert.ok(took !== undefined && took < 4000, `${took} ms`)
  assert.ok(link.stats.sent - before < 12_000, `${link.stats.sent - before} packets`)
})

test('a peer of an older version goes on when the path carries large packets again', async () => {
  const { change, transfer, wait } = await world(undefined, true)
  transfer(500_000)
  change(496)
  wait(10)
  const start = transfer(1)
  assert.ok(start !== undefined, 'small ones pass')
  change(0)
  wait(5000)
  change(undefined)
  const took = transfer(1_000_000)
  assert.ok(took !== undefined && took < 3000, `${took} ms`)
})

test.run()
