import { createDeferred, onAbort } from '@lantern-room/base/async'
import type { FindOptions } from '#internal/room/roomNetwork'
import { createRoomCheck } from '#internal/room/service/kept/roomChecks'
import { createFeed } from '#internal/room/service/state/feed'
import { createRoomState } from '#internal/room/service/state/roomState'
import { createFakeClock } from '../../../../support/network/fakeClock'
import { roomOf } from '../../../../support/room/testRoomNetwork'
import { assert, suite } from '../../../../support/runner/suite'
import { rejection } from '../../../../support/values/failures'

const test = suite('whether a saved room is open', { setUp })

const wanted = (text: string, signal = new AbortController().signal) => ({
  room: roomOf(text),
  nodes: ['tcp://b:1'],
  signal,
})
const [FIRST, SECOND] = ['U/YNZE-U61D-2206-HXRG', 'U/0000-0000-0000-0000']

function setUp() {
  const clock = createFakeClock()
  const feed = createFeed('run', clock)
  const roomState = createRoomState({ feed, clock })
  const stopping = new AbortController()
  const searches: (FindOptions & { readonly end: () => void })[] = []
  const roomNetwork = {
    find(options: FindOptions) {
      const { promise, resolve, reject } = createDeferred()
      onAbort(options.signal, () => reject(options.signal.reason))
      searches.push({ ...options, end: resolve })
      return promise
    },
  }
  const nodes = () => ['tcp://a:1']
  const check = createRoomCheck({ roomNetwork, nodes, feed, clock, stopping: stopping.signal })
  return { clock, roomState, stopping, searches, check }
}

test('one room is searched at a time, once for all who ask, and the answer holds for 15 s', async ({
  clock,
  searches,
  check,
}) => {
  const answers = [FIRST, FIRST, SECOND].map((code) => check(wanted(code)))
  await clock.advance(0)
  assert.is(searches.length, 1)
  assert.equal(searches[0]?.nodes, ['tcp://a:1', 'tcp://b:1'])
  searches[0]?.end()
  await clock.advance(0)
  assert.is(searches.length, 2)
  // Shorter than what makes a host see a member without a player.
  await clock.advance(10_000)
  assert.equal(await Promise.all(answers), [true, true, false])
  assert.is(await check(wanted(FIRST)), true)
  assert.equal([searches.length, clock.timers], [2, 0])
  await clock.advance(5001)
  void check(wanted(FIRST))
  await clock.advance(0)
  assert.is(searches.length, 3)
  await clock.advance(10_000)
})

for (const end of ['the page goes', 'the service stops', 'a role begins'])
  test(`a search ends when ${end}, and leaves no timer`, async ({
    clock,
    roomState,
    stopping,
    searches,
    check,
  }) => {
    const page = new AbortController()
    const asked = [FIRST, SECOND].map((code) => rejection(check(wanted(code, page.signal))))
    await clock.advance(0)
    if (end === 'the page goes') page.abort(new Error('gone'))
    else if (end === 'the service stops') stopping.abort(new Error('stopping'))
    else roomState.transition({ stage: 'Guest_Prepare', role: 'guest' })
    await Promise.all(asked)
    assert.equal([searches.length, searches[0]?.signal.aborted, clock.timers], [1, true, 0])
    if (end !== 'a role begins') return
    assert.match(String(await rejection(check(wanted(FIRST)))), /A room is open or joined/)
    assert.is(searches.length, 1)
  })

test.run()
