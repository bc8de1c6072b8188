import type { ProbeGame } from '#internal/game/ports'
import { createProbeHere } from '#internal/game/probeHere'
import { World, WorldGone } from '#internal/game/world'
import type { KnownWorld } from '#internal/game/worldChoice'
import type { LocalWorld } from '#internal/game/worldEntries'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'

const test = suite('the world of a host')

const silent = silentLog()
const LAN = '192.168.1.9'
const STATUS = {
  by: 'modern' as const,
  motd: undefined,
  version: undefined,
  onlinePlayers: undefined,
  maxPlayers: undefined,
}

function worldOf(chosen?: number, awaited?: KnownWorld) {
  const clock = createFakeClock()
  const stop = new AbortController()
  const answering = new Set<number>()
  /** Ports that accept connections and answer no ping. */
  const mute = new Set<number>()
  const raknet = new Set<number>()
  let announced: readonly LocalWorld[] = []
  const ports: (number | undefined)[] = []
  const probed: number[] = []
  const lost: KnownWorld[] = []
  const offered: (number | undefined)[] = []
  /** Another address of this machine, where worlds answer that do not on 127.0.0.1. */
  const elsewhere = new Set<number>()
  /** Ports at which nothing listens any more, and how often that was looked at. */
  const refusing = new Set<number>()
  let looks = 0
  let searches = 0
  const probe: ProbeGame = async ({ address, port }) => {
    if (address === LAN) return elsewhere.has(port) ? STATUS : undefined
    probed.push(port)
    if (mute.has(port)) return { ...STATUS, by: 'connect' }
    if (raknet.has(port)) return { ...STATUS, by: 'raknet' }
    return answering.has(port) ? STATUS : undefined
  }
  const world = new World(
    {
      clock,
      log: silent,
      localWorlds: () => announced,
      searchWorlds: () => {
        searches += 1
      },
      probe,
      probeHere: createProbeHere(probe, () => ['127.0.0.1', LAN]),
      async isRefused({ port }) {
        looks += 1
        return refusing.has(port)
      },
    },
    { port: chosen, awaited },
  )
  world.onPort(({ port, world: known }) => {
    ports.push(port)
    if (port === undefined) lost.push(known)
  })
  world.onOffered(() => void offered.push(world.offered()[0]?.port))
  const announce = (...next: (number | (Pick<LocalWorld, 'port' | 'name'> & Partial<LocalWorld>))[]) => {
    announced = next.map((one) => {
      const given = typeof one === 'number' ? { port: one, name: '' } : one
      return { address: '127.0.0.1', source: 'announced', ...given, isVerified: !mute.has(given.port) }
    })
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
  return {
    world,
    clock,
    stop,
    answering,
    elsewhere,
    mute,
    refusing,
    raknet,
    announce,
    ports,
    probed,
    lost,
    offered,
    watchAt,
    searches: () => searches,
    looks: () => looks,
  }
}

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

const MINE = { port: 7, name: 'Alex - Home' }
const OTHER = { port: 8, name: 'Alex - Other' }

test('a lost world is found again where it was, or under the same name on another port', async () => {
  for (const returning of [MINE, { ...MINE, port: 9 }]) {
    const { world, clock, stop, answering, announce, ports, lost, watchAt } = worldOf()
    announce(MINE)
    await watchAt(7)
    answering.clear()
    await clock.advance(15_000)
    assert.equal([world.port(), lost], [undefined, [MINE]])
    answering.add(returning.port).add(OTHER.port)
    announce(OTHER, returning)
    await clock.advance(1000)
    assert.equal(ports, [7, undefined, returning.port])
    // Another world where the chosen one was does not replace it.
    answering.add(7)
    await clock.advance(20_000)
    assert.is(world.port(), returning.port)
    stop.abort()
  }
})

test('a world whose port refuses is lost within three seconds, or at once when a guest was refused', async () => {
  for (const isTold of [false, true]) {
    const { world, clock, stop, answering, announce, refusing, ports, lost, watchAt } = worldOf()
    announce(MINE)
    await watchAt(7)
    await clock.advance(10_100)
    answering.clear()
    refusing.add(7)
    if (isTold) {
      world.suspect(8)
      await clock.advance(500)
      assert.equal(ports, [7], 'another port')
      world.suspect(7)
    }
    await clock.advance(isTold ? 400 : 2400)
    assert.equal([ports, lost], [[7, undefined], [MINE]])
    stop.abort()
  }
})

test('a port that refuses for a moment is no lost world, and is asked no more than every two seconds', async () => {
  const { world, clock, stop, announce, refusing, looks, probed, watchAt } = worldOf()
  announce(MINE)
  await watchAt(7)
  const before = [looks(), probed.length]
  await clock.advance(30_000)
  assert.equal([looks() - (before[0] ?? 0), probed.length - (before[1] ?? 0)], [18, 6])
  refusing.add(7)
  world.suspect(7)
  await clock.advance(200)
  refusing.clear()
  await clock.advance(10_000)
  assert.is(world.port(), 7)
  stop.abort()
})

test('a world of the Bedrock edition, which no connection reaches, is asked by pings alone', async () => {
  const { world, clock, stop, refusing, raknet, watchAt } = worldOf(7)
  raknet.add(7)
  refusing.add(7)
  await watchAt(7)
  await clock.advance(60_000)
  assert.is(world.port(), 7)
  stop.abort()
})

test('a port that is chosen while the lost world is found elsewhere stays chosen', async () => {
  const { world, clock, stop, answering, announce, ports } = worldOf(7)
  announce(MINE)
  answering.add(7)
  await world.waitUntilFound(stop.signal)
  void world.watch(stop.signal).catch(() => undefined)
  await clock.advance(5000)
  answering.clear()
  await clock.advance(15_000)
  announce({ ...MINE, port: 9 })
  answering.add(9)
  const isAnswering = answering.has.bind(answering)
  answering.has = (port) => {
    if (port === 9 && world.chosen() === 7) world.choose(8)
    return isAnswering(port)
  }
  await clock.advance(1000)
  assert.equal([world.chosen(), ports], [8, [7, undefined, 9]])
  answering.add(8)
  await clock.advance(5000)
  assert.is(world.port(), 8)
  stop.abort()
})

test('what is announced and answers no ping is offered, and taken when it is chosen', async () => {
  const { world, clock, stop, mute, announce, ports, probed, offered } = worldOf()
  const finding = world.waitUntilFound(stop.signal)
  mute.add(7)
  announce(7)
  await clock.advance(600_000)
  assert.equal([ports, probed, offered], [[], [], [7]])
  announce()
  await clock.advance(1000)
  announce(7)
  await clock.advance(1000)
  assert.equal(offered, [7, undefined, 7])
  world.choose(7)
  await clock.advance(0)
  await finding
  assert.equal([world.port(), world.offered(), ports], [7, [], [7]])
})

test('what is found and not announced is offered, and taken only when it is chosen', async () => {
  const { world, clock, stop, elsewhere, announce, ports, searches } = worldOf()
  const finding = world.waitUntilFound(stop.signal)
  elsewhere.add(7)
  const found = { port: 7, name: 'Castle', address: LAN }
  announce({ ...found, source: 'found' })
  await clock.advance(1000)
  assert.equal(world.offered(), [])
  announce({ ...found, source: 'found-own' })
  await clock.advance(60_000)
  assert.equal([ports, world.offered().map(({ name }) => name)], [[], ['Castle']])
  assert.ok(searches() > 1)
  world.choose(7)
  await clock.advance(0)
  await finding
  assert.equal([world.port(), world.address()], [7, LAN])
})

test('a chosen world is found at whichever address of this machine it is bound to', async () => {
  const { world, clock, stop, elsewhere, searches } = worldOf(7)
  const finding = world.waitUntilFound(stop.signal)
  elsewhere.add(7)
  await clock.advance(1000)
  await finding
  assert.equal([world.address(), searches()], [LAN, 0])
})

test('a world that was lost is not replaced by one of its name that is only found', async () => {
  const { clock, announce, answering, ports, watchAt } = worldOf()
  announce({ port: 7, name: 'Castle' })
  await watchAt(7)
  answering.delete(7)
  answering.add(8)
  announce({ port: 8, name: 'Castle', source: 'found-own' })
  await clock.advance(30_000)
  assert.equal(ports, [7, undefined])
})

test('a world that answers is taken beside one that does not, whichever was announced first', async () => {
  for (const order of [
    [7, 8],
    [8, 7],
  ]) {
    const { world, clock, stop, answering, mute, announce, offered } = worldOf()
    const finding = world.waitUntilFound(stop.signal)
    mute.add(7)
    answering.add(8)
    announce(...order)
    await clock.advance(1000)
    await finding
    assert.equal([world.port(), offered], [8, []])
  }
})

test('where a world was that no player has chosen, nothing is shared that answers no ping', async () => {
  const { world, clock, stop, answering, mute, announce, ports, watchAt } = worldOf()
  announce(MINE)
  await watchAt(7)
  // Without a moment in which the port is free, as when one program follows the other.
  mute.add(7)
  await clock.advance(29_999)
  assert.is(world.port(), 7, 'a game may hang')
  await clock.advance(1)
  announce(MINE, { ...MINE, port: 9 })
  mute.add(9)
  await clock.advance(30_000)
  assert.equal([world.port(), ports], [undefined, [7, undefined]])
  mute.clear()
  answering.add(9)
  await clock.advance(1000)
  assert.equal(ports, [7, undefined, 7])
  stop.abort()
})

test('a world that was chosen needs no ping, also after another one has been chosen that does not answer', async () => {
  const { world, clock, stop, mute, ports, watchAt } = worldOf(7)
  mute.add(7)
  await watchAt(7)
  world.choose(8)
  await clock.advance(120_000)
  assert.equal([world.port(), ports], [7, [7]])
  mute.add(8)
  await clock.advance(5000)
  assert.equal(ports, [7, 8])
  stop.abort()
})

test('another world is never taken unasked, whether the first was chosen or found', async () => {
  for (const chosen of [7, undefined]) {
    const { world, clock, answering, announce, ports, watchAt } = worldOf(chosen)
    announce(MINE)
    const watched = await watchAt(7)
    answering.clear()
    answering.add(8)
    announce(OTHER, { port: 8, name: '' })
    await clock.advance(15_000 + 59_000)
    assert.equal([world.port(), ports, watched.failure()], [undefined, [7, undefined], undefined])
    await clock.advance(1000)
    assert.ok(watched.failure() instanceof WorldGone)
  }
})

test('a world that was found is not replaced by another one on its port; on a chosen port any counts', async () => {
  for (const [chosen, isTaken] of [
    [undefined, false],
    [7, true],
  ] as const) {
    const { world, clock, stop, answering, announce, watchAt } = worldOf(chosen)
    announce(MINE)
    await watchAt(7)
    answering.clear()
    await clock.advance(15_000)
    announce({ ...OTHER, port: 7 })
    answering.add(7)
    await clock.advance(1000)
    assert.is(world.port() === 7, isTaken)
    stop.abort()
  }
})

test('an awaited world is the only one that is taken unasked, and is not awaited for ever', async () => {
  const { world, clock, stop, answering, announce } = worldOf(undefined, MINE)
  const finding = world.waitUntilFound(stop.signal)
  announce(OTHER)
  answering.add(8)
  await clock.advance(30_000)
  assert.is(world.port(), undefined)
  announce(OTHER, { ...MINE, port: 9 })
  answering.add(9)
  await clock.advance(1000)
  await finding
  assert.is(world.port(), 9)
  const none = worldOf(undefined, MINE)
  const failed = none.world.waitUntilFound(none.stop.signal).catch((error: unknown) => error)
  await none.clock.advance(61_000)
  assert.ok((await failed) instanceof WorldGone)
})

test.run()
