import { createByteStream } from '#internal/easytier/streams/byteStream'
import {
  decodeStreamPacket,
  encodeStreamPacket,
  encodeStreamRoute,
  streamFlags,
} from '#internal/easytier/streams/streamPacket'
import { assert, suite } from '#support/runner/suite'
import { text as bytes } from '#support/values/bytes'
import { hasResolved } from '#support/values/hasResolved'
import { createSimulation, type LinkOptions } from './simulation'
import { createStreamPeers, ROUTE } from './streamPeers'

/** Data bytes of a full segment. */
const MAX_SEGMENT_DATA = 1142

const test = suite('easytier: streams', { setUp: openStream })

test('a stream opens in one round trip, and bytes go both ways', async () => {
  const { simulation, open, run, peers } = network({ delayMs: 20 })
  const [here, there] = await open()
  assert.is(simulation.now, 60)
  assert.equal(peers.acceptor.accepted[0]?.destination, ROUTE.destination)
  here.write(bytes('hello'))
  await run(30)
  assert.is(text(there.read()), 'hello')
  there.write(bytes('well'))
  await run(30)
  assert.is(text(here.read()), 'well')
})

test('a lost SYN is followed by one with another number after 100 ms, then each 200 ms', async () => {
  const { simulation, peers, start } = network({ delayMs: 1 })
  const times: number[] = []
  const convs = new Set<number>()
  peers.opener.filter = (_type, payload) => {
    times.push(simulation.now)
    convs.add(decodeStreamPacket(payload)?.conv ?? 0)
    return false
  }
  const { failure } = start()
  await simulation.runAsync(10_050, () => false, peers.settle)
  assert.equal([times.slice(0, 5), convs.size], [[0, 100, 300, 500, 700], 5])
  assert.match(String(await failure), /did not answer/)
  assert.is(peers.opener.streams.count, 0)
})

test('of several attempts that arrive one stays, and the others are closed at once', async () => {
  const { peers, open, run } = network({ delayMs: 400 })
  await open()
  await run(1000)
  assert.is(peers.acceptor.accepted.length, 1)
  assert.equal([peers.acceptor.streams.count, peers.opener.streams.count], [1, 1])
})

test('a port that is not exposed is refused by FIN', async () => {
  const { simulation, peers, start } = network({ delayMs: 5 })
  const { found } = start({ ...ROUTE, destination: { ...ROUTE.destination, port: 22 } })
  await simulation.runAsync(100, () => found.handle?.state === 'closed', peers.settle)
  assert.equal([found.handle?.error, peers.acceptor.accepted.length], [undefined, 0])
})

test('what came before a FIN can be read after it', async ({ run, here, there }) => {
  const stream = createByteStream(there, setImmediate)
  here.write(bytes('the end'))
  here.end()
  await run(12)
  assert.is(here.state, 'ending', 'the reader has not fetched it')
  assert.is(text(await stream.read()), 'the end')
  await run(50)
  assert.equal([here.state, await stream.read()], ['closed', undefined])
  await stream.closed
})

test('FIN waits until the reader has fetched all, and asks for that', async (parts) => {
  const { simulation, run, peers, here, there } = parts
  const fins: number[] = []
  peers.opener.filter = (_type, payload) => {
    if (isFin(payload)) fins.push(simulation.now)
    return true
  }
  here.write(new Uint8Array(80_000))
  here.end()
  await run(2000)
  assert.equal(fins, [])
  let left = 80_000 - (there.read()?.length ?? 0)
  assert.ok(left > 0)
  await run(100)
  assert.equal(fins, [], 'a part is still there')
  const readAt = simulation.now
  for (let bytes = there.read(); bytes; bytes = there.read()) left -= bytes.length
  assert.is(left, 0)
  await run(100)
  assert.is(fins.length, 1)
  assert.ok((fins[0] ?? 0) - readAt <= 40, `${(fins[0] ?? 0) - readAt} ms`)
})

test('what arrives in one turn of the event loop is read at once', async ({ run, here, there }) => {
  const turn: (() => void)[] = []
  const stream = createByteStream(there, (act) => void turn.push(act))
  const reading = stream.read()
  here.write(bytes('one, '))
  await run(12)
  assert.is(turn.length, 1, 'the reader waits for the rest of the turn')
  here.write(bytes('two'))
  await run(12)
  assert.is(turn.length, 1)
  turn[0]?.()
  assert.is(text(await reading), 'one, two')
})

test('a lost FIN is said again', async ({ run, peers, here, there }) => {
  let lost = 0
  peers.opener.filter = (_type, payload) => {
    if (isFin(payload)) lost += 1
    return !isFin(payload) || lost > 2
  }
  here.end()
  await run(2000)
  assert.equal([there.state, there.error], ['closed', undefined])
})

test('a broken stream tells the other side, whose reading and writing fail', async ({ run, here, there }) => {
  const stream = createByteStream(there, setImmediate)
  const reading = stream.read().catch(String)
  here.destroy()
  await run(20)
  assert.match(String(await reading), /broke/)
  assert.match(String(await stream.write(bytes('x')).catch(String)), /broke/)
  await stream.closed
})

test('whoever hears that a stream is destroyed may destroy it as well: the other side is told all the same', async (parts) => {
  const { run, here, there } = parts
  here.onChange(() => here.destroy())
  here.destroy()
  here.destroy()
  await run(20)
  assert.is(there.state, 'closed')
  assert.match(String(there.error), /broke/)
})

test('a side that reads nothing stops the other one, and its reading moves it again', async (parts) => {
  const { run, here, there } = parts
  const stream = createByteStream(here, setImmediate)
  const size = 3_000_000
  const writing = stream.write(new Uint8Array(size))
  const isWritten = hasResolved(writing)
  await run(3000)
  assert.not.ok(isWritten())
  // A window full of segments: those of the first round trips are small.
  const most = 2048 * MAX_SEGMENT_DATA
  assert.ok(there.readable > most * 0.9 && there.readable <= most, `${there.readable}`)
  let got = 0
  for (let i = 0; i < 2000 && got < size; i++) {
    got += there.read()?.length ?? 0
    await run(5)
  }
  assert.is(got, size)
  await writing
})

test('pings keep a stream that has had data; without data it ends after 30 s, without any answer after 60 s', async (parts) => {
  const { run, peers, here, there } = parts
  await run(120_000)
  assert.equal([here.state, there.state], ['closed', 'closed'], 'no data for 30 s')
  const { open: openAgain, peers: others, run: runOthers } = network({ delayMs: 5 })
  const [one, two] = await openAgain()
  one.write(bytes('x'))
  await runOthers(100_000)
  assert.equal([one.state, two.state], ['open', 'open'])
  one.write(bytes('y'))
  await runOthers(50)
  for (const peer of [others.opener, others.acceptor]) peer.filter = () => false
  await runOthers(59_000)
  assert.is(one.state, 'open')
  await runOthers(12_000)
  assert.match(String(one.error), /minute/)
  assert.match(String(two.error), /minute/)
  assert.is(peers.opener.streams.nextDeadline() > 0, true)
})

test('a stream whose data is never acknowledged ends after a minute, although pings are answered', async (parts) => {
  const { run, peers, here, there } = parts
  there.write(bytes('x'))
  await run(100)
  peers.opener.filter = (_type, payload) =>
    ((decodeStreamPacket(payload)?.flags ?? 0) & streamFlags.data) === 0
  here.write(bytes('y'))
  await run(58_000)
  assert.is(here.state, 'open')
  await run(5000)
  assert.match(String(here.error), /minute/)
})

test('past the limit an opener is refused at once, and counted', async () => {
  const { open, start, simulation, peers } = network({ delayMs: 5 }, { streams: 3 })
  for (let i = 0; i < 3; i++) await open()
  assert.match(String(await start().failure), /too many/)
  assert.is(peers.opener.refused, 1)
  peers.acceptor.streams.receive(11, syn(1001, 2002), 1001, simulation.now)
  assert.equal([peers.acceptor.refused, peers.acceptor.streams.count], [1, 3])
})

test('closing all leaves nothing: no stream, no deadline', async (parts) => {
  const { run, peers, simulation, here, there } = parts
  const streams = [here, there].map((each) => createByteStream(each, setImmediate))
  peers.opener.streams.close(simulation.now)
  await run(20)
  await Promise.all(streams.map(({ closed }) => closed))
  const deadlines = [peers.opener, peers.acceptor].map((peer) => peer.streams.nextDeadline())
  assert.equal(deadlines, [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY])
})

test('a stream that was destroyed just before all are closed still tells the other side', async (parts) => {
  const { peers, simulation, here, there } = parts
  here.destroy()
  peers.opener.streams.close(simulation.now)
  await simulation.runAsync(20, () => there.state === 'closed', peers.settle)
  assert.is(there.error?.reason, 'reset')
})

test('a member that is gone takes its streams along, the others stay', async ({ peers, here }) => {
  peers.opener.streams.forgetPeer(4711)
  assert.is(here.state, 'open')
  peers.opener.streams.forgetPeer(2002)
  assert.match(String(here.error), /minute/)
})

test('packets that name others than their sender, or are cut, are dropped', async ({ peers, simulation }) => {
  const before = peers.acceptor.link.stats.sent
  for (const packet of [syn(5, 2002), syn(1001, 7), new Uint8Array(13)])
    peers.acceptor.streams.receive(11, packet, 1001, simulation.now)
  assert.is(peers.acceptor.link.stats.sent, before)
})

/** A stream over a line of 5 ms. */
async function openStream() {
  const parts = network({ delayMs: 5 })
  const [here, there] = await parts.open()
  return { ...parts, here, there }
}

function network(options: LinkOptions, limits = {}) {
  const simulation = createSimulation(5)
  const peers = createStreamPeers(simulation, options, options, limits)

  const run = (ms: number) => {
    const until = simulation.now + ms
    simulation.at(until, () => {})
    return simulation.runAsync(until, () => simulation.now >= until, peers.settle)
  }
  return { simulation, peers, start: peers.start, run, open: peers.open }
}

function syn(source: number, destination: number): Uint8Array {
  const body = encodeStreamRoute(ROUTE)
  return encodeStreamPacket({ conv: 9, source, destination, flags: streamFlags.syn, body })
}

function isFin(payload: Uint8Array): boolean {
  return ((decodeStreamPacket(payload)?.flags ?? 0) & streamFlags.fin) !== 0
}

function text(read: Uint8Array | undefined): string | undefined {
  return read && new TextDecoder().decode(read)
}

test.run()
