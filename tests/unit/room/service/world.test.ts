import * as assert from 'uvu/assert'
import { RoomFailure } from '#core/room/failure'
import { createWorld } from '#core/room/service/world'
import { createFakeClock } from '#support/network/fakeClock'
import { suite } from '#support/runner/suite'

const test = suite('the world of a host')

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const STATUS = {
  by: 'modern' as const,
  motd: undefined,
  version: undefined,
  onlinePlayers: undefined,
  maxPlayers: undefined,
}

function worldOf(chosen?: number) {
  const clock = createFakeClock()
  const stop = new AbortController()
  const answering = new Set<number>()
  let announced: readonly number[] = []
  const ports: (number | undefined)[] = []
  const probed: number[] = []
  const world = createWorld(
    {
      clock,
      log: silent,
      announcedPorts: () => announced,
      probe: async ({ port }) => {
        probed.push(port)
        return answering.has(port) ? STATUS : undefined
      },
    },
    chosen,
    (port) => ports.push(port),
  )
  const announce = (...next: number[]) => {
    announced = next
  }
  /** Finds a world that answers on this port, and watches it. */
  async function watchAt(port: number): Promise<{ failure(): unknown }> {
    answering.add(port)
    await world.waitUntilFound(stop.signal)
    let failure: unknown
    void world.watch(stop.signal).catch((error: unknown) => {
      failure = error
    })
    await clock.advance(0)
    return { failure: () => failure }
  }
  return { world, clock, stop, answering, announce, ports, probed, watchAt }
}

test('the first announced world that answers is found', async () => {
  const { world, clock, stop, answering, announce, ports } = worldOf()
  const finding = world.waitUntilFound(stop.signal)
  await clock.advance(10_000)
  announce(1, 2, 3)
  await clock.advance(1000)
  assert.is(world.port(), undefined)
  answering.add(2).add(3)
  await clock.advance(250)
  await finding
  assert.equal([world.port(), ports], [2, [2]])
})

test('a chosen port is the only one that is probed, once a second', async () => {
  const { world, clock, stop, announce, answering, probed } = worldOf(7)
  announce(1)
  answering.add(1)
  const finding = world.waitUntilFound(stop.signal)
  await clock.advance(5000)
  assert.equal(probed, [7, 7, 7, 7, 7, 7])
  world.choose(1)
  await clock.advance(0)
  await finding
  assert.equal([world.port(), world.chosen()], [1, 1])
})

test('an abort ends the search with its reason', async () => {
  const { world, stop } = worldOf()
  const reason = new Error('stopped')
  const finding = world.waitUntilFound(stop.signal)
  stop.abort(reason)
  await finding.then(
    () => assert.unreachable(),
    (error: unknown) => assert.is(error, reason),
  )
})

test('a world is lost after three misses in a row', async () => {
  const { clock, stop, answering, ports, watchAt } = worldOf(7)
  await watchAt(7)
  answering.delete(7)
  await clock.advance(10_000)
  assert.equal(ports, [7])
  answering.add(7)
  await clock.advance(5000)
  answering.delete(7)
  await clock.advance(14_999)
  assert.equal(ports, [7])
  await clock.advance(1)
  assert.equal(ports, [7, undefined])
  stop.abort()
})

test('a lost world is found again: where it was, or as any announced one', async () => {
  for (const [returning, isAnnounced] of [
    [7, false],
    [9, true],
  ] as const) {
    const { world, clock, stop, answering, announce, ports, watchAt } = worldOf(7)
    await watchAt(7)
    answering.clear()
    await clock.advance(15_000)
    assert.equal([world.port(), world.chosen()], [undefined, undefined])
    answering.add(returning)
    if (isAnnounced) announce(returning)
    await clock.advance(1000)
    assert.equal(ports, [7, undefined, returning])
    stop.abort()
  }
})

test('a world that does not come back within 60 s is gone', async () => {
  const { clock, answering, watchAt } = worldOf(7)
  const watched = await watchAt(7)
  answering.clear()
  await clock.advance(15_000 + 59_000)
  assert.is(watched.failure(), undefined)
  await clock.advance(1000)
  const failure = watched.failure()
  assert.is(failure instanceof RoomFailure && failure.code, 'game-gone')
  assert.is(clock.timers, 0)
})

test('a newly chosen world replaces the current one when it answers', async () => {
  const { world, clock, stop, answering, ports, watchAt } = worldOf(7)
  await watchAt(7)
  world.choose(8)
  await clock.advance(20_000)
  assert.is(world.port(), 7)
  answering.add(8)
  await clock.advance(5000)
  assert.equal([world.port(), ports], [8, [7, 8]])
  stop.abort()
})

test.run()
