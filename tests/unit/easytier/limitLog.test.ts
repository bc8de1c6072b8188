import { createLimitLog } from '#internal/easytier/limitLog'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'

const test = suite('easytier: the log of limits')

test('each limit is said once, and every refusal of a member is passed on', () => {
  const said: unknown[] = []
  const overShares: unknown[] = []
  const log = { ...silentLog(), warn: (_message: string, fields: unknown) => void said.push(fields) }
  const onRefused = createLimitLog(log, (...overShare) => void overShares.push(overShare))
  for (const limit of ['streams', 'members', 'streams'] as const) onRefused(limit)
  onRefused('streams', 7, 'full')
  onRefused('streams', 7)
  assert.equal(said, [{ limit: 'streams' }, { limit: 'members' }])
  assert.equal(overShares, [
    [7, 'streams', 'full'],
    [7, 'streams', undefined],
  ])
})

test.run()
