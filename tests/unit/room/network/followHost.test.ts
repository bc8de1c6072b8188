import {
  DIRECT_MS,
  LEAVE_MS,
  type Move,
  type MoveView,
  nextMove,
  REACH_MS,
} from '#core/room/network/followHost'
import { assert, suite } from '#support/runner/suite'

const test = suite('room: the way of a guest to the network with another secret')

const reaching: Move = { kind: 'reaching', since: 0 }
const leaving: Move = { kind: 'leaving', since: 0 }

const CASES: readonly [string, Move, Partial<MoveView>, Move][] = [
  ['no answer yet', reaching, { now: 100 }, reaching],
  ['an answer by the same way', reaching, { now: 7, hasAnswered: true }, { kind: 'leaving', since: 7 }],
  [
    'a relayed answer where it was direct',
    reaching,
    { now: 7, hasAnswered: true, wasDirect: true },
    reaching,
  ],
  [
    'a direct one',
    reaching,
    { now: 7, hasAnswered: true, wasDirect: true, isDirect: true },
    { kind: 'leaving', since: 7 },
  ],
  [
    'no direct one in time',
    reaching,
    { now: DIRECT_MS, hasAnswered: true, wasDirect: true },
    { kind: 'leaving', since: DIRECT_MS },
  ],
  ['seen, but no answer', reaching, { now: DIRECT_MS, isDirect: true }, reaching],
  ['not yet too late', reaching, { now: REACH_MS - 1 }, reaching],
  ['never', reaching, { now: REACH_MS }, { kind: 'given-up' }],
  ['packets are under way', leaving, { now: LEAVE_MS - 1 }, leaving],
  ['none any more', leaving, { now: LEAVE_MS }, { kind: 'moved' }],
  ['it is over', { kind: 'moved' }, { now: REACH_MS }, { kind: 'moved' }],
  ['it stays given up', { kind: 'given-up' }, { hasAnswered: true }, { kind: 'given-up' }],
]

for (const [name, move, view, expected] of CASES) {
  test(name, () => {
    const whole = { now: 0, hasAnswered: false, wasDirect: false, isDirect: false, ...view }
    assert.equal(nextMove(move, whole), expected)
  })
}

test.run()
