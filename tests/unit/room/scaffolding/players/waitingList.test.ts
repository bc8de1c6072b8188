import {
  createWaitingList,
  MAX_WAITING,
  MAX_WAITING_PER_MEMBER,
  WAITING_EXPIRY_MS,
} from '#core/room/scaffolding/players/waitingList'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { isRefusal } from '#support/values/failures'

const test = suite('players who wait to be let in', { setUp: open })

function open() {
  const clock = createFakeClock()
  let changes = 0
  const waiting = createWaitingList(clock, () => changes++)
  const connect = (memberId: string) => {
    const closing = new AbortController()
    return { caller: { memberId, signal: closing.signal }, close: () => closing.abort() }
  }
  const add = (id: string, memberId: string, { name = id, caller = connect(memberId).caller } = {}) =>
    waiting.add({ name, machineId: id, vendor: 'X 1' }, caller)
  const ids = () => waiting.list().map(({ player }) => player.machineId)
  return { clock, waiting, connect, add, ids, changes: () => changes }
}

const isTooBusy = isRefusal('too-busy')

test('each sign starts the minute anew', async ({ clock, add, ids, changes }) => {
  add('a', '1')
  await clock.advance(WAITING_EXPIRY_MS - 1)
  add('a', '1')
  await clock.advance(WAITING_EXPIRY_MS - 1)
  assert.equal(ids(), ['a'])
  await clock.advance(1)
  assert.equal([ids(), changes(), clock.timers], [[], 2, 0])
})

test('the close of an earlier connection ends nothing', ({ connect, add, ids, changes }) => {
  const first = connect('1')
  const second = connect('1')
  add('a', '1', { caller: first.caller })
  add('a', '1', { caller: second.caller })
  first.close()
  assert.equal(ids(), ['a'])
  second.close()
  assert.equal([ids(), changes()], [[], 2])
})

test('one member can fill its share, all members the list, and who waits already can always update', () => {
  const { add, ids } = open()
  add('a0', '1')
  for (let count = 1; count < MAX_WAITING_PER_MEMBER; count += 1) add(`a${count}`, '1')
  assert.throws(() => add('one more', '1'), isTooBusy)
  for (let count = MAX_WAITING_PER_MEMBER; count < MAX_WAITING; count += 1) add(`b${count}`, `m${count}`)
  for (const member of ['two', 'three', 'four']) add(`of ${member}`, member)
  assert.equal(
    ids().filter((id) => id.startsWith('a')),
    ['a0'],
    'newcomers take the places of the one with most',
  )
  assert.throws(() => add('late', 'late'), isTooBusy)
  add('a0', '1', { name: 'Steve' })
  assert.is(ids().length, MAX_WAITING)
})

test.run()
