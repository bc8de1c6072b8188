import { assert, suite } from '#support/runner/suite'
import type { RoomStatus } from '../../../../../../local-runner/ui/room/state/records'
import { isLooking, moodOf } from '../../../../../../local-runner/ui/room/state/statement'

const test = suite('the colour of a room')

type Told = Pick<RoomStatus, 'state' | 'errorCode' | 'gamePort' | 'hint' | 'hintCode' | 'network'>

const HOST: Told = {
  state: 'Host_Running',
  errorCode: null,
  gamePort: 25_565,
  hint: null,
  hintCode: null,
  network: null,
}
const mood = (more: Partial<Told>) => moodOf({ ...HOST, ...more } as RoomStatus)
const networkOf = (...states: readonly ('connected' | 'failed')[]) =>
  ({ nodes: states.map((state) => ({ url: '', state, latencyMs: null, problem: null })) }) as never

test('an open room is green while nothing is said against it', () => {
  assert.is(mood({}), 'good')
  assert.is(mood({ network: networkOf('failed', 'connected') }), 'good')
  assert.is(mood({ hint: 'The map is elsewhere.', hintCode: 'local-port-taken' }), 'good')
})

test('it is not green without a world, without a node, or with something to do', () => {
  assert.is(mood({ gamePort: 0 }), 'warn')
  assert.is(mood({ network: networkOf('failed') }), 'warn')
  assert.is(mood({ state: 'Guest_Running', hint: 'It is closed.', hintCode: 'world-closed' }), 'warn')
})

test('what the host has ended, or has not begun, is no error', () => {
  const failed = (errorCode: Told['errorCode']) => mood({ state: 'Error', errorCode })
  assert.equal([failed('removed'), failed('host-not-found'), failed('no-internet')], ['idle', 'warn', 'bad'])
  assert.equal([mood({ state: 'Idle' }), mood({ state: 'Guest_Prepare' })], ['idle', 'busy'])
})

test('only a guest that was not told to wait is asked whether it waits', () => {
  assert.ok(isLooking({ state: 'Guest_DiscoveringCenter', hint: null }))
  assert.not.ok(isLooking({ state: 'Guest_DiscoveringCenter', hint: 'Waiting.' }))
  assert.not.ok(isLooking({ state: 'Guest_AwaitingApproval', hint: null }))
})

test.run()
