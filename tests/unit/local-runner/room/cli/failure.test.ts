import { ConfigError } from '#core/environment'
import { FAILURES, type FailureCode, RoomFailure } from '#core/room/failure'
import { assert, suite } from '#support/runner/suite'
import { failureOf } from '../../../../../local-runner/room/cli/failure'

const test = suite('failures of room')

const GIVEN = { env: { ROOM_PORT: 'x' }, flagOf: new Map([['ROOM_PORT', '--port']]) }

for (const code of Object.keys(FAILURES) as FailureCode[]) {
  test(`${code} is said with its hint`, () => {
    const { exitCode, sentence, hint } = failureOf(new RoomFailure(code, 'It\x07 is so.'), undefined)
    const isOfThisMachine = ['no-relay-reachable', 'network-failed', 'port-in-use'].includes(code)
    const more = code === 'host-changed' ? ' If they say it is them, --accept-new-host joins.' : ''
    assert.equal(
      [exitCode, sentence, hint],
      [isOfThisMachine ? 3 : 1, 'It? is so.', FAILURES[code].hint + more],
    )
  })
}

test('settings that were typed are named as options, and are a wrong command', () => {
  const thrown = new ConfigError(['ROOM_PORT="x": allowed is 1.', 'ROOM_NODES="y": allowed is 2.'])
  assert.equal(failureOf(thrown, GIVEN), {
    exitCode: 2,
    sentence: 'Some settings are wrong: --port "x": allowed is 1. ROOM_NODES="y": allowed is 2.',
  })
  assert.equal(failureOf(new ConfigError(['ROOM_NODES="y": allowed is 2.']), GIVEN), {
    exitCode: 3,
    sentence: 'A setting is wrong: ROOM_NODES="y": allowed is 2.',
  })
})

test.run()
