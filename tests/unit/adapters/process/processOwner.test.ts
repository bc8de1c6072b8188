import { spawnSync } from 'node:child_process'
import { isRunning } from '#core/adapters/process/processOwner'
import { assert, suite } from '#support/runner/suite'

const test = suite('whether a process runs')

test('this one does, and one that has ended does not', () => {
  assert.is(isRunning(process.pid), true)
  const { pid } = spawnSync(process.execPath, ['--version'])
  assert.is(isRunning(pid), false)
})

test.run()
