import { createGuestProofs } from '#internal/protocol/scaffolding/players/hostDecisions'
import type { RoomCaller } from '#internal/protocol/scaffolding/wire/commands'
import { assert, suite } from '#support/runner/suite'

const test = suite('what guests have shown to be known again')

test('with a player the others of the same program are forgotten', () => {
  const proofs = createGuestProofs()
  const [one, other] = [callerOf('1'), callerOf('2')]
  proofs.note(proofOf(1), one)
  proofs.note(proofOf(2), other)
  proofs.keep('a', one)
  proofs.keep('b', one)
  proofs.keep('c', other)
  proofs.forget('a')
  assert.equal(['a', 'b', 'c'].map(proofs.has), [false, false, true])
})

test('what is kept is bounded: the oldest goes', () => {
  const proofs = createGuestProofs()
  const caller = callerOf('1')
  proofs.note(proofOf(1), caller)
  for (let at = 0; at <= 1024; at += 1) proofs.keep(`player ${at}`, caller)
  assert.equal(
    [proofs.has('player 0'), proofs.has('player 1'), proofs.has('player 1024')],
    [false, true, true],
  )
})

function callerOf(memberId: string): RoomCaller {
  return { memberId, signal: new AbortController().signal }
}

function proofOf(byte: number): Uint8Array {
  return new Uint8Array(32).fill(byte)
}

test.run()
