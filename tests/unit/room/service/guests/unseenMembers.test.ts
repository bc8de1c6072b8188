import { createUnseenMembers, REGISTER_MS } from '#internal/room/service/guests/unseenMembers'
import { createFakeClock } from '../../../../support/network/fakeClock'
import { assert, suite } from '../../../../support/runner/suite'

const test = suite('members without a player', { setUp: start })

function start() {
  const clock = createFakeClock()
  const connected = new Set<string>()
  const playing = new Set<string>()
  const inWorld = new Set<string>()
  const returning = new Set<string>()
  const ended: string[] = []
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
    onChange() {},
    clock,
    signal: new AbortController().signal,
  })
  return {
    clock,
    connected,
    playing,
    inWorld,
    returning,
    ended,
    unseen,
  }
}

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

test('one that has left before it registered is found without being told', async (room) => {
  const { clock, connected, inWorld, ended, unseen } = room
  connected.add('one')
  inWorld.add('one')
  unseen.look()
  connected.delete('one')
  await clock.advance(5000)
  assert.equal(ended, ['one gone'])
})

test.run()
