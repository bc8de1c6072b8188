import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import * as assert from 'uvu/assert'
import { findProgram } from '#support/process/findProgram'
import { suite } from '#support/runner/suite'

const test = suite('the relay as a service of systemd')

test.skipUnless(findProgram('systemd-analyze'), 'systemd-analyze is not installed')(
  'its unit is valid',
  async () => {
    const unit = 'docs/lantern-room-relay.service'
    const { stdout, stderr } = await promisify(execFile)('systemd-analyze', ['verify', '--man=no', unit])
    assert.not.match(stdout + stderr, /lantern-room-relay/)
  },
)

test.run()
