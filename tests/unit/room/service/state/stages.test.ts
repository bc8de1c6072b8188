import { STATE_OF } from '#internal/room/service/state/stages'
import { assert, suite } from '../../../../support/runner/suite'

const test = suite('the stages of a room')

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

test.run()
