import { mayFollow, STATE_OF, type Stage } from '#core/room/service/state/stages'
import { assert, suite } from '../../../../support/runner/suite'

const test = suite('the stages of a room')

const stages = Object.keys(STATE_OF) as Stage[]

/** As the design's table has them; stopping and failing are not a stage's own steps. */
const STEPS = [
  'Host_Prepare Host_GameDetecting',
  'Host_GameDetecting Host_ScaffoldingStarting',
  'Host_ScaffoldingStarting Host_NetworkStarting',
  'Host_NetworkStarting Host_Running',
  'Guest_Prepare Guest_NetworkStarting',
  'Guest_NetworkStarting Guest_DiscoveringCenter',
  'Guest_DiscoveringCenter Guest_ConnectingScaffolding',
  'Guest_ConnectingScaffolding Guest_AwaitingApproval',
  'Guest_AwaitingApproval Guest_ConnectingScaffolding',
  'Guest_AwaitingApproval Guest_Running',
  'Guest_ConnectingScaffolding Guest_Running',
  'Guest_ConnectingScaffolding Guest_Reconnecting',
  'Guest_Running Guest_Reconnecting',
  'Guest_Reconnecting Guest_Running',
]

test('each stage has the state that launchers know', () => {
  assert.equal(STATE_OF, {
    Idle: 'waiting',
    Stopping: 'waiting',
    Host_Prepare: 'host-scanning',
    Host_GameDetecting: 'host-scanning',
    Host_ScaffoldingStarting: 'host-starting',
    Host_NetworkStarting: 'host-starting',
    Host_Running: 'host-ok',
    Guest_Prepare: 'guest-connecting',
    Guest_NetworkStarting: 'guest-starting',
    Guest_DiscoveringCenter: 'guest-starting',
    Guest_ConnectingScaffolding: 'guest-starting',
    Guest_AwaitingApproval: 'guest-starting',
    Guest_Reconnecting: 'guest-starting',
    Guest_Running: 'guest-ok',
    Error: 'exception',
  })
})

test('a role takes these steps and no other', () => {
  const taken = stages.flatMap((from) =>
    stages.filter((to) => mayFollow(from, to)).map((to) => `${from} ${to}`),
  )
  assert.equal(taken.sort(), [...STEPS].sort())
})

test.run()
