import { FAILURES } from '#core/room/failure'
import { describeProblem, type RoomCodeProblem } from '#core/room/roomCode'
import { assert, suite } from '#support/runner/suite'
import {
  CODE_PROBLEMS_IN_CHINESE,
  FAILURES_IN_CHINESE,
} from '../../../../../../local-runner/ui/room/words/failureTexts'

const test = suite('failures in Chinese')
const isChinese = (text: string) => /^[^a-z]*\p{Script=Han}[\s\S]*[。！？]$/u.test(text)

test('each failure of the service has a sentence and a hint', () => {
  assert.equal(Object.keys(FAILURES_IN_CHINESE).sort(), Object.keys(FAILURES).sort())
  for (const [code, { error, hint }] of Object.entries(FAILURES_IN_CHINESE)) {
    assert.ok(isChinese(error), code)
    assert.ok(isChinese(hint), code)
  }
})

test('each problem of a room code has a sentence', () => {
  for (const [problem, sentence] of Object.entries(CODE_PROBLEMS_IN_CHINESE)) {
    assert.ok(describeProblem(problem as RoomCodeProblem), problem)
    assert.ok(isChinese(sentence), problem)
  }
})

test.run()
