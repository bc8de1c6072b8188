import { createUnseenMembers, REGISTER_MS } from '#core/room/service/guests/unseenMembers'
import { createFakeClock } from '../../../../support/network/fakeClock'
import { assert, suite } from '../../../../support/runner/suite'

const test = suite('members without a player', { setUp: start })

function start() {
  const clock = createFakeClock()
  const stop = new AbortController()
  const connected = new Set<string>()
  const playing = new Set<string>()
  const inWorld = new Set<string>()
  const returning = new Set<string>()
  const ended: string[] = []
  let changes = 0
  const unseen = createUnseenMembers({
    members: () =>
      [...connected].map((id) => ({ id, hostname: 'a machine', address: undefined, path: undefined })),
    hasPlace: (id) => playing.has(id),
    inWorld: () => [...inWorld],
    mayReturn: (id) => returning.has(id),
    onEnd(id, why) {
      ended.push(`${id} ${why}`)
      inWorld.delete(id)
    },
    onChange: () => changes++,
    clock,
    signal: stop.signal,
  })
  const listed = () => unseen.list().map(({ id }) => id)
  return {
    clock,
    stop,
    connected,
    playing,
    inWorld,
    returning,
    ended,
    unseen,
    listed,
    changes: () => changes,
  }
}

test('a member has 15 s to register: then it is listed, and what it has open is closed', async (room) => {
  const { clock, connected, playing, inWorld, ended, unseen, listed, changes } = room
  for (const id of ['one', 'two']) connected.add(id) && inWorld.add(id)
  playing.add('two')
  unseen.look()
  await clock.advance(REGISTER_MS - 1)
  assert.equal([listed(), ended, changes(), unseen.isOverdue('one')], [[], [], 0, false])
  await clock.advance(1)
  assert.equal([listed(), ended, changes()], [['one'], ['one unregistered'], 1])
  assert.equal([unseen.isOverdue('one'), unseen.isOverdue('two')], [true, false])
  await clock.advance(REGISTER_MS)
  assert.equal([ended, changes(), clock.timers], [['one unregistered'], 1, 0])
})

test('one that registers is listed no more, and has 15 s again when its player has expired', async (room) => {
  const { clock, connected, playing, inWorld, ended, unseen, listed } = room
  connected.add('one')
  unseen.look()
  await clock.advance(REGISTER_MS)
  playing.add('one')
  inWorld.add('one')
  unseen.look()
  assert.equal(listed(), [])
  await clock.advance(60_000)
  playing.delete('one')
  unseen.look()
  await clock.advance(REGISTER_MS - 1)
  assert.equal(ended, [])
  await clock.advance(1)
  assert.equal([ended, listed()], [['one unregistered'], ['one']])
})

test('the time counts while it is in the network only: a lost line that returns begins anew', async (room) => {
  const { clock, connected, inWorld, returning, ended, unseen } = room
  connected.add('one')
  inWorld.add('one')
  returning.add('one')
  unseen.look()
  await clock.advance(10_000)
  connected.delete('one')
  unseen.look()
  await clock.advance(50_000)
  connected.add('one')
  unseen.look()
  await clock.advance(REGISTER_MS - 1)
  assert.equal(ended, [])
  await clock.advance(1)
  assert.equal(ended, ['one unregistered'])
})

test('one that has left and says no goodbye is found at once, unless its player is still there', (room) => {
  const { playing, inWorld, ended, unseen } = room
  inWorld.add('one')
  playing.add('one')
  unseen.look()
  assert.equal(ended, [])
  playing.delete('one')
  unseen.look()
  assert.equal(ended, ['one gone'])
})

test('nothing is looked for once the room is closed', ({
  clock,
  stop,
  connected,
  inWorld,
  ended,
  unseen,
}) => {
  connected.add('one')
  unseen.look()
  stop.abort()
  assert.is(clock.timers, 0)
  inWorld.add('two')
  unseen.look()
  assert.equal(ended, [])
})

test.run()
