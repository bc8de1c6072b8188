import type { RoomCodeProblem } from '@lantern-room/protocol'
import { describeProblem } from '#internal/room/words/words'
import { assert, suite } from '#support/runner/suite'
import vectors from '../../../fixtures/room/room-codes.json'

const test = suite('what is wrong with a room code')

test('each problem has a sentence of its own', () => {
  const problems = new Set(vectors.invalid.map(({ problem }) => problem as RoomCodeProblem))
  assert.is(problems.size, 7)
  const sentences = [...problems].map(describeProblem)
  assert.is(new Set(sentences).size, 7)
  for (const sentence of sentences) assert.match(sentence, /^[A-Z].*\.$/)
})

test.run()
