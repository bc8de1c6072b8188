import { spawnSync } from 'node:child_process'
import * as assert from 'uvu/assert'
import { isRunning } from '#core/adapters/process/processOwner'
import { suite } from '#support/runner/suite'

const test = suite('whether a process runs')

test('this one does, and one that has ended does not', () => {
  assert.is(isRunning(process.pid), true)
  const { pid } = spawnSync(process.execPath, ['--version'])
  assert.is(isRunning(pid), false)
})
