import type { Player, Profile } from '#internal/protocol/profiles'
import { createPlayerRegistry, MAX_PLAYERS } from '#internal/protocol/scaffolding/players/registry'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { isRefusal } from '#support/values/failures'
import { HOST, STEVE } from '../hosted'

const test = suite('players of a room', { setUp: createRoom })

function createRoom() {
  const clock = createFakeClock()
  const changes: (readonly Profile[])[] = []
  const gone = new Set<string>()
  const overShares: string[] = []
  const replaced: string[] = []
  const registry = createPlayerRegistry({
    host: HOST,
    clock,
    onChange: (profiles) => void changes.push(profiles),
    isConnected: (memberId) => !gone.has(memberId),
    onReplaced: (memberId) => void replaced.push(memberId),
    onOverShare: (memberId, share, denial) =>
      void overShares.push([memberId, share, denial].filter(Boolean).join(' ')),
    signal: new AbortController().signal,
  })
  /** Each player has a member of its own, unless another is named. */
  const ping = (player: Player, memberId = `member of ${player.machineId}`) => registry.ping(player, memberId)
  const names = () => registry.list().map(({ name }) => name)
  return { clock, changes, registry, ping, names, gone, overShares, replaced }
}

const player = (name: string) => ({ name, machineId: `id-${name}`, vendor: 'Demo 1.0' })

test('the host is first and guests follow in the order in which they came', ({ registry, ping }) => {
  assert.equal(registry.list(), [{ ...HOST, kind: 'HOST' }])
  ping(player('one'))
  ping(STEVE)
  ping(player('one'))
  assert.equal(registry.list(), [
    { ...HOST, kind: 'HOST' },
    { ...player('one'), kind: 'GUEST' },
    { ...STEVE, kind: 'GUEST' },
  ])
})

test('a guest expires 15 s after its last ping, and the host never', async () => {
  const { clock, names, changes, ping } = createRoom()
  ping(player('one'))
  await clock.advance(10_000)
  ping(player('two'))
  await clock.advance(4_999)
  assert.equal(names(), ['Alex', 'one', 'two'])
  await clock.advance(1)
  assert.equal(names(), ['Alex', 'two'])
  await clock.advance(3_600_000)
  assert.equal(names(), ['Alex'])
  assert.is(changes.length, 4)
  assert.is(clock.timers, 0)
})

test('a player who comes back as another member has left the one before', ({ ping, gone, replaced }) => {
  ping(STEVE, 'first')
  ping(STEVE, 'first')
  ping(STEVE, 'other')
  assert.equal(replaced, [], 'the first one is still connected')
  gone.add('first')
  ping(STEVE, 'second')
  ping(STEVE, 'second')
  assert.equal(replaced, ['first'])
})

test('players of one name are told apart, and it is told which name several have', ({
  registry,
  ping,
  names,
}) => {
  assert.is(registry.sharedName(), undefined)
  ping({ ...STEVE, machineId: 'first' })
  ping({ ...STEVE, machineId: 'second', name: 'steve' })
  ping({ ...STEVE, machineId: 'third', name: HOST.name })
  assert.equal(names(), ['Alex', 'Steve', 'steve (2)', 'Alex (2)'])
  assert.is(registry.sharedName(), 'steve')
  registry.leave('first', 'member of first')
  registry.leave('third', 'member of third')
  assert.equal([names(), registry.sharedName()], [['Alex', 'steve'], undefined])
})

test('each ping begins the 15 s anew', async ({ clock, names, ping }) => {
  for (let count = 0; count < 10; count++) {
    ping(player('one'))
    await clock.advance(14_999)
    assert.equal(names(), ['Alex', 'one'])
    assert.is(clock.timers, 1)
  }
})

test('a ping again with another name or vendor changes the profile in its place; the same one changes nothing', () => {
  const { changes, ping } = createRoom()
  ping(player('one'))
  ping(player('two'))
  ping(player('one'))
  assert.is(changes.length, 2)
  ping({ ...player('one'), name: 'renamed' })
  ping({ ...player('one'), name: 'renamed', vendor: 'Other 2' })
  assert.is(changes.length, 4)
  assert.equal(changes.at(-1), [
    { ...HOST, kind: 'HOST' },
    { name: 'renamed', machineId: 'id-one', vendor: 'Other 2', kind: 'GUEST' },
    { ...player('two'), kind: 'GUEST' },
  ])
})

test('nobody takes the host’s machine id', ({ names, changes, ping }) => {
  assert.throws(() => ping({ ...STEVE, machineId: HOST.machineId }), isRefusal('conflict'))
  assert.equal(names(), ['Alex'])
  assert.is(changes.length, 0)
})

test('a room holds 64 players with its host; who is in stays in, and a place that gets free is given again', async () => {
  const { clock, registry, ping } = createRoom()
  for (let count = 1; count < MAX_PLAYERS; count++) ping(player(`p${count}`))
  assert.is(registry.list().length, 64)
  const isFull = isRefusal('too-busy')
  assert.throws(() => ping(player('late')), isFull)
  await clock.advance(1_000)
  ping(player('p1'))
  await clock.advance(14_000)
  assert.is(registry.list().length, 2)
  ping(player('late'))
  assert.is(registry.list().length, 3)
})

test('while its member is connected a player is renamed and taken off by no other one', async () => {
  const { clock, registry, ping, names, changes, gone, overShares } = createRoom()
  ping(STEVE, 'steve')
  await clock.advance(10_000)
  ping({ ...STEVE, name: 'Thief' }, 'thief')
  assert.is(registry.leave(STEVE.machineId, 'thief'), false)
  assert.equal([names(), changes.length, overShares], [['Alex', 'Steve'], 1, ['thief machine-ids']])
  await clock.advance(4_999)
  assert.equal(names(), ['Alex', 'Steve'], 'and its expiry goes on')
  gone.add('steve')
  ping({ ...STEVE, name: 'Steve again' }, 'steve as another member')
  assert.equal([names(), registry.memberOf(STEVE.machineId)], [['Alex', 'Steve'], 'steve as another member'])
  assert.is(registry.leave(STEVE.machineId, 'steve as another member'), true)
  assert.equal(names(), ['Alex'])
})

test('a player whose member has gone for a moment is renamed by no other one, and given back', async () => {
  const { clock, registry, ping, names, gone, overShares } = createRoom()
  ping(STEVE, 'steve')
  gone.add('steve')
  for (let second = 0; second < 59; second += 5) {
    ping({ ...STEVE, name: 'Thief' }, 'thief')
    assert.equal([names(), registry.memberOf(STEVE.machineId)], [['Alex', 'Steve'], 'thief'])
    await clock.advance(5000)
  }
  assert.equal(overShares, [])
  ping({ ...STEVE, name: 'Thief' }, 'thief')
  assert.equal(names(), ['Alex', 'Thief'], 'after a minute it is anyone’s')
  ping(player('one'), 'one')
  gone.add('one')
  ping({ ...player('one'), name: 'Thief 2' }, 'thief')
  gone.delete('one')
  ping({ ...player('one'), name: 'new' }, 'one')
  assert.equal([names(), registry.memberOf('id-one')], [['Alex', 'Thief', 'new'], 'one'])
  ping({ ...player('one'), name: 'Thief 2' }, 'thief')
  assert.equal([names(), overShares], [['Alex', 'Thief', 'new'], ['thief machine-ids']])
})

test('a member has four players; beyond that it is refused, and its others stay', () => {
  const { registry, ping, names, overShares } = createRoom()
  for (const name of ['a', 'b', 'c', 'd']) ping(player(name), 'greedy')
  assert.throws(() => ping(player('e'), 'greedy'), isRefusal('too-busy'))
  assert.equal([names(), overShares], [['Alex', 'a', 'b', 'c', 'd'], ['greedy players refused']])
  ping({ ...player('a'), name: 'renamed' }, 'greedy')
  registry.leave('id-b', 'greedy')
  ping(player('e'), 'greedy')
  assert.equal(names(), ['Alex', 'renamed', 'c', 'd', 'e'])
})

test('in a full room a friend takes the place of the newest player of a member with several', () => {
  const { registry, ping, overShares } = createRoom()
  for (let at = 0; at < 63; at++) ping(player(`p${at}`), `member ${Math.floor(at / 4)}`)
  ping(STEVE)
  const ids = registry.list().map(({ machineId }) => machineId)
  assert.equal(
    [ids.length, ids.at(-1), ids.includes('id-p3'), ids.includes('id-p2')],
    [64, STEVE.machineId, false, true],
  )
  assert.equal(overShares, ['member 0 players withdrawn'])
  assert.is(registry.memberOf('id-p3'), undefined)
})

test.run()
