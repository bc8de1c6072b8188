import { removedSettings } from '#core/removedSettings'
import { assert, suite } from '#support/runner/suite'

const test = suite('settings that no longer exist')

test('each one that is set is named with what to use instead, and none that is empty', () => {
  const told = removedSettings({
    ROOM_RELAY_TLS_KEY: '/key.pem',
    ROOM_RELAY_METRICS_PORT: ' ',
    ROOM_RELAY_NAME: 'mine',
  })
  assert.is(told.length, 1)
  assert.match(told[0] ?? '', /^ROOM_RELAY_TLS_KEY no longer exists: .+\.$/)
})

test.run()
