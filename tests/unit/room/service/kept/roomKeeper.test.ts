import { createRoomKeeper, type KeptRoom } from '#internal/room/service/kept/roomKeeper'
import { createFakeClock } from '../../../../support/network/fakeClock'
import { createMemoryText } from '../../../../support/room/memoryText'
import { assert, suite } from '../../../../support/runner/suite'
import { silentLog } from '../../../../support/values/testLog'

const test = suite('the room that is kept for a restart', { setUp: keeperOf })

const ROOM: KeptRoom = { role: 'host', order: { room: 'U/YNZE-U61D-2206-HXRG', playerName: 'Alex' } }

function keeperOf(text?: string) {
  const clock = createFakeClock()
  const store = createMemoryText(text)
  return { keeper: createRoomKeeper({ store, clock, log: silentLog() }), clock, store }
}

test('a full disk keeps nobody waiting', async ({ keeper, store }) => {
  store.capacity = 0
  keeper.begin(ROOM)
  await keeper.written()
  assert.is(store.text, undefined)
  await keeper.close()
})

test('signs of life keep it fresh; an hour after the last one it is too old', async ({ keeper, clock }) => {
  keeper.begin(ROOM)
  await clock.advance(10 * 3_600_000)
  assert.ok(await keeper.left())
  await keeper.close()
  await clock.advance(3_600_000 - 60_000)
  assert.ok(await keeper.left())
  await clock.advance(60_000)
  assert.is(await keeper.left(), undefined)
})

test('in a copy of the data folder it does not come back by itself', async () => {
  const { clock, store } = keeperOf()
  const keeperAt = (place?: string) => createRoomKeeper({ store, clock, log: silentLog(), place })
  const first = keeperAt('here')
  first.begin({ ...ROOM, order: { ...ROOM.order, resume: true } })
  await first.close()
  assert.is((await keeperAt('here').left())?.order.resume, true)
  assert.equal(await keeperAt('elsewhere').left(), { ...ROOM, order: { ...ROOM.order, resume: 'ask' } })
  const { place: _, ...ofAnEarlierVersion } = JSON.parse(store.text ?? '')
  await store.write(JSON.stringify(ofAnEarlierVersion))
  assert.is((await keeperAt('here').left())?.order.resume, true)
})

const WITH_A_DAMAGED_BAN = JSON.stringify({
  ...ROOM,
  at: 0,
  decisions: { bans: [{}], approved: [], proofs: [] },
})

test('a damaged file leaves nothing', async () => {
  for (const text of [
    '',
    '{',
    '{"role":"host"}',
    '{"role":"king","order":{},"at":0}',
    '[]',
    WITH_A_DAMAGED_BAN,
  ]) {
    assert.is(await keeperOf(text).keeper.left(), undefined)
  }
})

test.run()
