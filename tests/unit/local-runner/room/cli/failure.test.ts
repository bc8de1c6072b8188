import { ConfigError } from '@lantern-room/base/settings'
import { type FailureCode, RoomFailure } from '@lantern-room/room'
import { chinese } from '@lantern-room/room/words'
import { assert, suite } from '#support/runner/suite'
import { failureOf } from '../../../../../local-runner/room/cli/failure'

const test = suite('failures of room')

const CODES = Object.keys(chinese.failures) as FailureCode[]
const HINT_CODES = Object.keys(chinese.hints) as (keyof typeof chinese.hints)[]
const OF_THIS_MACHINE = ['no-relay-reachable', 'no-internet', 'wifi-login', 'network-failed', 'port-in-use']
const GIVEN = { env: { ROOM_PORT: 'x' }, flagOf: new Map([['ROOM_PORT', '--port']]) }

for (const code of CODES) {
  test(`${code} is said in one sentence with its hint, in both languages`, () => {
    const thrown = new RoomFailure(code, 'It\x07 is so.')
    const { exitCode, sentence } = failureOf(thrown, undefined, 'en')
    assert.is(exitCode, OF_THIS_MACHINE.includes(code) ? 3 : 1)
    const { hint } = thrown
    const mark = hint.includes(':') ? ';' : ':'
    assert.ok(
      sentence.startsWith(`It? is so${mark} ${hint.charAt(0).toLowerCase()}${hint.slice(1, -1)}`),
      sentence,
    )
    assert.is(sentence.includes('--accept-new-host'), code === 'host-changed')
    const { error, hint: remedy } = chinese.failures[code]
    const chineseSentence = failureOf(thrown, undefined, 'zh-CN').sentence
    assert.ok(chineseSentence.startsWith(`${error}${remedy.slice(0, -1)}`), chineseSentence)
    assert.is(chineseSentence.includes('--accept-new-host'), code === 'host-changed')
  })
}

test('a cause that is known more exactly has advice of its own, in both languages', () => {
  for (const hintCode of HINT_CODES) {
    const thrown = new RoomFailure('host-unreachable', 'It is so.', { hintCode })
    assert.ok(failureOf(thrown, undefined, 'en').sentence.endsWith(thrown.hint.slice(1)), hintCode)
    const { error, hint } = chinese.hints[hintCode]
    assert.is(failureOf(thrown, undefined, 'zh-CN').sentence, `${error}${hint}`)
  }
})

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

test('no hint repeats what has happened', () => {
  const told = new RoomFailure('no-relay-reachable', 'No shared node can be reached.')
  assert.is(
    failureOf(told, undefined).sentence,
    'No shared node can be reached: check the internet connection and the firewall, or choose another shared node in the settings; then try again.',
  )
  // What to do stands first, and what has happened before it.
  const general = CODES.map((code) => new RoomFailure(code, ''))
  const exact = HINT_CODES.map((hintCode) => new RoomFailure('internal', '', { hintCode }))
  for (const { hint } of [...general, ...exact])
    assert.match(hint, /^(Ask|Choose|Use|Wait|Play|One|Check|Connect|Log|Start|Close|Open|Try) /)
})

test.run()
