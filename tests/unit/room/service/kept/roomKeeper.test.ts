import { setImmediate as nextTurn } from 'node:timers/promises'
import { createDeferred } from '#core/async/deferred'
import type { KeptDecisions } from '#core/room/scaffolding/players/hostDecisions'
import { createRoomKeeper, type KeptRoom } from '#core/room/service/kept/roomKeeper'
import { createFakeClock } from '../../../../support/network/fakeClock'
import { createMemoryText } from '../../../../support/room/memoryText'
import { assert, suite } from '../../../../support/runner/suite'
import { hasResolved } from '../../../../support/values/hasResolved'
import { silentLog } from '../../../../support/values/testLog'

const test = suite('the room that is kept for a restart', { setUp: keeperOf })

const ROOM: KeptRoom = { role: 'host', order: { room: 'U/YNZE-U61D-2206-HXRG', playerName: 'Alex' } }
const DECISIONS: KeptDecisions = {
  bans: [
    {
      player: { name: 'Steve', machineId: 'a', vendor: 'X 1' },
      state: 'removed',
      origin: { memberId: '1', address: '192.0.2.1' },
    },
  ],
  approved: ['b'],
  proofs: [['b', '1,2']],
}
const log = silentLog()

function keeperOf(text?: string) {
  const clock = createFakeClock()
  const store = createMemoryText(text)
  return { keeper: createRoomKeeper({ store, clock, log }), clock, text: () => store.text }
}

test('what is written can be waited for, also on a disk that takes its time or is full', async () => {
  const store = createMemoryText()
  const { promise: disk, resolve: goOn } = createDeferred<void>()
  const slow = { ...store, write: (text: string) => disk.then(() => store.write(text)) }
  const keeper = createRoomKeeper({ store: slow, clock: createFakeClock(), log })
  await keeper.written()
  keeper.begin(ROOM)
  keeper.update({ decisions: DECISIONS })
  const written = keeper.written()
  const isWritten = hasResolved(written)
  await nextTurn()
  assert.not(isWritten())
  goOn()
  await written
  assert.match(store.text ?? '', '"state":"removed"')
  store.capacity = 0
  keeper.update({ world: { port: 1 } })
  await keeper.written()
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
