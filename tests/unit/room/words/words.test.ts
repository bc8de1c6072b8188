import type { RoomCodeProblem } from '@lantern-room/protocol'
import type { Diagnosis } from '#internal/room/doctor/diagnosis'
import type { FailureCode, HintCode } from '#internal/room/failure'
import type { RelayReason } from '#internal/room/networkStatus'
import type { NoticeCode } from '#internal/room/service/state/notices'
import chinese from '#internal/room/words/chinese.json'
import english from '#internal/room/words/english.json'
import terminal from '#internal/room/words/terminal.json'
import { textsIn, unevenIn, unfitIn } from '#support/docs/texts'
import { assert, suite } from '#support/runner/suite'

const test = suite('words of the room service')

/** The type check refuses a code without a text. */
const CODES: Readonly<{
  failures: Record<FailureCode, unknown>
  hints: Record<HintCode, unknown>
  codeProblems: Record<RoomCodeProblem, unknown>
  notices: Record<NoticeCode, unknown>
  findings: Record<Diagnosis['findings'][number]['id'], unknown>
  relayed: Record<RelayReason, unknown>
}> = chinese

test('no code has an empty text', () => {
  assert.equal(
    textsIn(CODES).filter((text) => text === ''),
    [],
  )
})

test('those of the terminal fill in the same names in both languages, of which only plain findings lack Chinese', () => {
  assert.equal(unevenIn(terminal), [])
  const missing = Object.entries(terminal).filter(([, [, zh]]) => !zh)
  assert.equal(
    missing.map(([key]) => key),
    ['multicastFails', 'nodeUnreachable'],
  )
})

test('those that the page shows are words of players', () => {
  assert.equal(unfitIn(english, chinese), [])
})

test.run()
