import { createHostDecisions, toKeptDecisions } from '#core/room/scaffolding/hostDecisions'
import { OPEN_POLICY } from '#support/room/openPolicy'
import { assert, suite } from '#support/runner/suite'

const test = suite('what a host has decided')

test('it is nothing at first', () => {
  const decisions = createHostDecisions(OPEN_POLICY)
  assert.equal([decisions.policy, decisions.bans.size, decisions.approved.size], [OPEN_POLICY, 0, 0])
  assert.equal(toKeptDecisions(decisions), { bans: [], approved: [], proofs: [] })
})

test('what is kept as JSON holds again, and does not change with the decisions it was made of', () => {
  const before = createHostDecisions(OPEN_POLICY)
  const steve = { name: 'Steve', machineId: 'a', vendor: 'X 1' }
  before.bans.add(steve, 'removed', { memberId: '1', address: '192.0.2.1' })
  before.approved.add('b')
  const caller = { memberId: '2', signal: new AbortController().signal }
  before.proofs.note(Uint8Array.of(1, 2), caller)
  before.proofs.keep('b', caller)
  const kept = toKeptDecisions(before)
  before.bans.lift('a')
  before.approved.clear()
  before.proofs.forget('b')
  const after = createHostDecisions(
    { needsApproval: true, allowed: [] },
    JSON.parse(JSON.stringify(kept)) as typeof kept,
  )
  assert.equal([after.bans.stateOf('a'), after.bans.membersAt('192.0.2.1')], ['removed', 1])
  after.proofs.note(Uint8Array.of(1, 2), caller)
  assert.equal(
    [after.proofs.has('b'), after.proofs.isOf('b', caller), after.proofs.has('a')],
    [true, true, false],
  )
  assert.equal([[...after.approved], after.policy.needsApproval], [['b'], true])
})

test.run()
