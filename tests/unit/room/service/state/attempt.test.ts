import { beginAttempt } from '#core/room/service/state/attempt'
import { createFeed } from '#core/room/service/state/feed'
import { noticeOf } from '#core/room/service/state/notices'
import { createRoomState } from '#core/room/service/state/roomState'
import { createFakeClock, settle } from '../../../../support/network/fakeClock'
import { assert, suite } from '../../../../support/runner/suite'
import { hasResolved } from '../../../../support/values/hasResolved'

const test = suite('an attempt')

const NOTICE = noticeOf('open-world')

const createShown = () => createRoomState({ feed: createFeed('run'), clock: createFakeClock() })

test('begins at the first stage of its role with nothing of the last one', () => {
  const roomState = createShown()
  roomState.transition({
    stage: 'Host_Running',
    role: 'host',
    gamePort: 1,
    url: 'x',
    notice: NOTICE,
    players: [],
  })
  beginAttempt(roomState, 'guest', { room: 'U/1' })
  const { stage, role, room, gamePort, url, notice } = roomState.view()
  assert.equal(
    { stage, role, room, gamePort, url, notice },
    { stage: 'Guest_Prepare', role: 'guest', room: 'U/1', gamePort: 0, url: null, notice: null },
  )
})

test('goes on step by step, and refuses every other way', () => {
  const roomState = createShown()
  const { attempt } = beginAttempt(roomState, 'host', {})
  assert.throws(() => attempt.advance('Host_Running'), /cannot go from Host_Prepare to Host_Running/)
  assert.throws(() => attempt.advance('Guest_Prepare'), /cannot go/)
  attempt.advance('Host_GameDetecting', { notice: NOTICE })
  assert.equal(
    [attempt.stage(), roomState.view().stage, roomState.view().notice],
    ['Host_GameDetecting', 'Host_GameDetecting', NOTICE],
  )
  assert.throws(() => attempt.advance('Host_GameDetecting'), /cannot go/)
})

test('once it is over, it moves nothing: neither its own room nor the next one', () => {
  const roomState = createShown()
  const first = beginAttempt(roomState, 'host', { room: 'U/1' })
  const reason = new Error('stopped')
  first.abort(reason)
  const next = beginAttempt(roomState, 'guest', { room: 'U/2' })
  const before = roomState.view()
  assert.throws(
    () => first.attempt.advance('Host_GameDetecting'),
    (error: unknown) => error === reason,
  )
  first.attempt.update({ players: [], gamePort: 7, url: 'x' })
  assert.equal(roomState.view(), before)
  next.attempt.advance('Guest_NetworkStarting')
  assert.is(roomState.view().stage, 'Guest_NetworkStarting')
})

test('a stop says farewell first, and can change nothing meanwhile', async () => {
  const roomState = createShown()
  const { attempt, stop, isOver } = beginAttempt(roomState, 'host', { room: 'U/1' })
  let endFarewell = () => {}
  attempt.beforeStop(
    () =>
      new Promise((resolve) => {
        endFarewell = resolve
      }),
  )
  const reason = new Error('stopped')
  const stopped = stop(reason)
  await settle()
  assert.equal([isOver(), attempt.signal.aborted], [true, false])
  attempt.update({ gamePort: 7 })
  assert.throws(() => attempt.advance('Host_GameDetecting'))
  assert.equal([roomState.view().gamePort, roomState.view().stage], [0, 'Host_Prepare'])
  endFarewell()
  await stopped
  assert.is(attempt.signal.reason, reason)
})

test('is over only when everything that it holds has ended, what came late as well', async () => {
  const { attempt, abort, settled } = beginAttempt(createShown(), 'host', {})
  const ends: (() => void)[] = []
  const thing = () => new Promise<void>((resolve) => ends.push(resolve))
  attempt.hold(thing())
  attempt.hold(Promise.reject(new Error('broken')))
  abort(new Error('stopped'))
  const over = settled()
  const isOver = hasResolved(over)
  await settle()
  assert.is(isOver(), false)
  attempt.hold(thing())
  ends[0]?.()
  await settle()
  assert.is(isOver(), false)
  ends[1]?.()
  await over
})

test.run()
