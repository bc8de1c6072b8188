import type { StreamHandle } from '#internal/easytier/streams/byteStream'
import { assert, suite } from '#support/runner/suite'
import { createSimulation, type LinkOptions, type Simulation } from './simulation'
import { createStreamPeers, ROUTE, type StreamPeers, WIRE_OVERHEAD } from './streamPeers'

/** Data bytes of a full segment. */
const MAX_SEGMENT_DATA = 1142

const test = suite('easytier: streams over bad lines', { timeoutMs: 120_000 })

const SEEDS = Number(process.env.STREAM_SEEDS ?? 60)

test('whatever a line does: the bytes come exactly, or the stream ends with an error', async () => {
  let whole = 0
  for (let seed = 1; seed <= SEEDS; seed++) {
    const outcome = await transfer(seed)
    assert.ok(outcome.isExact, `seed ${seed}: bytes differ`)
    assert.ok(outcome.isOver, `seed ${seed}: the streams hang`)
    if (outcome.isWhole) whole += 1
  }
  assert.ok(whole > SEEDS * 0.9, `only ${whole} of ${SEEDS} came whole`)
})

test('a line of 100 Mbit/s and 40 ms is used well at every loss that lines have', async () => {
  for (const [loss, least] of [
    [0, 0.85],
    [0.005, 0.85],
    [0.02, 0.7],
  ] as const) {
    const { ratio } = await bulk({ loss, queueBytes: 1_250_000 }, 25_000_000)
    assert.ok(ratio >= least, `${loss * 100} %: ${ratio.toFixed(2)} of the line`)
  }
})

test('a short queue on the way is not run over all the time', async () => {
  const { ratio, dropped } = await bulk({ queueBytes: 187_500 }, 15_000_000)
  assert.ok(ratio >= 0.85, `${ratio}`)
  assert.ok(dropped < 0.06, `${dropped} of the packets are lost in the queue`)
})

test('slow, fast and far lines are used, too', async () => {
  for (const [megabits, delayMs, size] of [
    [5, 20, 3_000_000],
    [20, 75, 15_000_000],
    [1000, 1, 40_000_000],
  ] as const) {
    const { ratio } = await bulk({ bitsPerSecond: megabits * 1e6, delayMs }, size)
    assert.ok(ratio >= 0.8, `${megabits} Mbit/s, ${delayMs} ms: ${ratio}`)
  }
})

test('a TCP connection that repairs 1 % is used well, and hardly anything is sent twice', async () => {
  for (const [megabits, least, most] of [
    [20, 0.9, 600],
    [100, 0.7, 1500],
  ] as const) {
    const line = { loss: 0.01, isRepaired: true, bitsPerSecond: megabits * 1e6 }
    const { ratio, resent } = await bulk(line, 20_000_000)
    assert.ok(ratio >= least && resent <= most, `${megabits} Mbit/s: ${ratio.toFixed(2)}, ${resent} again`)
  }
})

test('a small packet arrives within two round trips while a bulk stream runs', async () => {
  for (const bitsPerSecond of [10e6, 100e6]) {
    const simulation = createSimulation(7)
    const peers = createStreamPeers(simulation, { delayMs: 20, bitsPerSecond, overhead: WIRE_OVERHEAD })
    const [bulkHere, bulkThere] = await peers.open()
    const [smallHere, smallThere] = await peers.open()
    const times: number[] = []
    let writtenAt: number | undefined
    // The first second is the start, in which the sender looks for the line's limit.
    let nextAt = simulation.now + 1000
    simulation.run(
      simulation.now + 6000,
      () => false,
      () => {
        if (bulkHere.queued < 262_144) bulkHere.write(new Uint8Array(65_536))
        while (bulkThere.read()) {}
        if (simulation.now >= nextAt) {
          writtenAt = simulation.now
          nextAt = simulation.now + 97
          smallHere.write(new Uint8Array(100))
        }
        if (smallThere.read() && writtenAt !== undefined) times.push(simulation.now - writtenAt)
        peers.settle()
      },
    )
    assert.ok(times.length > 40, `${times.length}`)
    assert.ok(Math.max(...times) <= 80, `${Math.max(...times)} ms`)
  }
})

test('a line that is away for five seconds costs those five seconds, and little more', async () => {
  const simulation = createSimulation(3)
  const peers = createStreamPeers(simulation, { delayMs: 20, bitsPerSecond: 100e6, overhead: WIRE_OVERHEAD })
  const stream = await peers.open()
  const start = simulation.now
  let sentWhileAway = 0
  simulation.at(start + 500, () => {
    for (const peer of [peers.opener, peers.acceptor]) peer.link.change({ loss: 1 })
    sentWhileAway = -peers.opener.link.stats.sent
  })
  simulation.at(start + 5500, () => {
    for (const peer of [peers.opener, peers.acceptor]) peer.link.change({ loss: 0 })
    sentWhileAway += peers.opener.link.stats.sent
  })
  pump(simulation, peers, stream, 10_000_000)
  assert.ok(simulation.now - start < 5500 + 2500, `${simulation.now - start} ms`)
  assert.ok(sentWhileAway < 1200, `${sentWhileAway} packets into the void`)
})

/** Writes at one end, and reads at the other until so much has come. @returns how much it was */
function pump(
  simulation: Simulation,
  peers: StreamPeers,
  [here, there]: readonly [StreamHandle, StreamHandle],
  size: number,
): number {
  const piece = new Uint8Array(65_536)
  let got = 0
  const isDone = simulation.run(
    simulation.now + 120_000,
    () => got >= size,
    () => {
      while (here.queued < 262_144) here.write(piece)
      for (let bytes = there.read(); bytes; bytes = there.read()) got += bytes.length
      peers.settle()
    },
  )
  assert.ok(isDone, 'it did not end')
  return got
}

/** @returns what arrived in relation to what fits the line, everything around the data counted */
async function bulk(options: LinkOptions, size: number) {
  const simulation = createSimulation(11)
  const line = { delayMs: 20, bitsPerSecond: 100e6, overhead: WIRE_OVERHEAD, ...options }
  const peers = createStreamPeers(simulation, line)
  const stream = await peers.open()
  const start = simulation.now
  const got = pump(simulation, peers, stream, size)
  const { sent, dropped } = peers.opener.link.stats
  const mostPerMs =
    (line.bitsPerSecond / 8000) * (MAX_SEGMENT_DATA / (MAX_SEGMENT_DATA + 24 + 14 + WIRE_OVERHEAD))
  return {
    ratio: got / (simulation.now - start) / mostPerMs,
    dropped: dropped / sent,
    resent: sent - Math.ceil(got / MAX_SEGMENT_DATA),
  }
}

/** A request and an answer of random sizes over a random line; then one side closes. */
async function transfer(seed: number) {
  const simulation = createSimulation(seed)
  const { random } = simulation
  const line: LinkOptions = {
    delayMs: 1 + random() * (random() < 0.2 ? 200 : 40),
    jitterMs: random() < 0.5 ? 0 : random() * 30,
    loss: random() < 0.3 ? 0 : random() * (random() < 0.1 ? 0.3 : 0.05),
    duplication: random() < 0.5 ? 0 : random() * 0.1,
    overhead: WIRE_OVERHEAD,
    ...(random() < 0.5
      ? {}
      : { bitsPerSecond: 1e6 + random() * 50e6, queueBytes: 5000 + random() * 100_000 }),
  }
  const peers = createStreamPeers(simulation, line)
  const sizes = [1, 1].map(() => Math.floor(random() ** 3 * 60_000) + 1)
  const [request, answer] = sizes.map((size) => noise(size, random)) as [Uint8Array, Uint8Array]
  const here: Uint8Array[] = []
  const there: Uint8Array[] = []
  const length = (parts: readonly Uint8Array[]) => parts.reduce((sum, part) => sum + part.length, 0)

  let handle: StreamHandle | undefined
  let failed = false
  let isAnswered = false
  peers.opener.streams.open(peers.acceptor.id, ROUTE, 0).opened.then(
    (open) => {
      handle = open
      for (let at = 0; at < request.length; at += 7000) open.write(request.subarray(at, at + 7000))
    },
    () => {
      failed = true
    },
  )
  const acceptorsFull = () => peers.acceptor.accepted.find(({ handle: { readable } }) => readable > 0)?.handle
  let other: StreamHandle | undefined
  const isOpen = () => handle !== undefined || failed
  await simulation.runAsync(11_000, isOpen, peers.settle)
  const isOver = simulation.run(
    200_000,
    () => failed || (handle?.state === 'closed' && (!other || other.state === 'closed')),
    () => {
      other ??= acceptorsFull()
      for (let bytes = other?.read(); bytes; bytes = other?.read()) there.push(bytes)
      for (let bytes = handle?.read(); bytes; bytes = handle?.read()) here.push(bytes)
      if (other && !isAnswered && length(there) === request.length) {
        isAnswered = true
        other.write(answer)
        if (seed % 2 === 0) other.end()
      }
      if (seed % 2 === 1 && handle?.state === 'open' && length(here) === answer.length) handle.end()
      peers.settle()
    },
  )
  for (let bytes = handle?.read(); bytes; bytes = handle?.read()) here.push(bytes)
  const isWhole = length(here) === answer.length && length(there) === request.length
  const hasError = failed || handle?.error !== undefined || other?.error !== undefined
  return {
    isOver,
    isWhole,
    isExact: isPrefix(here, answer) && isPrefix(there, request) && (isWhole || hasError),
  }
}

function isPrefix(parts: readonly Uint8Array[], whole: Uint8Array): boolean {
  const bytes = Buffer.concat(parts)
  return bytes.length <= whole.length && bytes.equals(whole.subarray(0, bytes.length))
}

function noise(size: number, random: () => number): Uint8Array {
  return Uint8Array.from({ length: size }, () => random() * 256)
}

test.run()
