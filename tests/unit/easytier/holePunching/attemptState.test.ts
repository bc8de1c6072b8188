import {
  type AttemptGoal,
  type AttemptState,
  afterFailure,
  afterNews,
  initialState,
  type PunchFailure,
} from '#internal/easytier/holePunching/attemptState'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: states of an attempt')

const goal: AttemptGoal = { natTypes: '5,0', isUdpLikely: false, isUpgrade: false }
const facts = { strategy: 'cone', failures: 0, natTypes: '5,0', isUpgrade: false } as const

type Changes = Partial<Pick<AttemptState, 'strategy' | 'natTypes' | 'isUpgrade'>>
const paused = (pauseMs: number | undefined, failures = 0, changes: Changes = {}): AttemptState => {
  return { ...facts, ...changes, failures, pauseMs }
}
const running = (failures = 0, changes: Changes = {}) => paused(undefined, failures, changes)
const ended = (failures: number, changes: Changes = {}) => paused(Number.POSITIVE_INFINITY, failures, changes)
type Step = (state: AttemptState) => AttemptState
const failed =
  (reason: PunchFailure): Step =>
  (state) =>
    afterFailure(state, reason)
const wanted =
  (changes: Partial<AttemptGoal>): Step =>
  (state) =>
    afterNews(state, { ...goal, ...changes })

test('the first run comes at once; TCP waits for a UDP strategy that is likely to succeed', () => {
  for (const [strategy, isUdpLikely, pauseMs] of [
    ['cone', false, 0],
    ['cone', true, 0],
    ['symmetric-to-cone', true, 0],
    ['tcp', false, 0],
    ['tcp', true, 1000],
  ] as const)
    assert.equal(initialState(strategy, { ...goal, isUdpLikely }), paused(pauseMs, 0, { strategy }))
})

const unreachable = failed('no-connection')
const heavy = { strategy: 'cone-to-symmetric' } as const
const heavier = { strategy: 'both-predictable' } as const
const tcp = { strategy: 'tcp' } as const
const upgrade = { isUpgrade: true }
const others = { natTypes: '5,5' }

const steps: readonly (readonly [name: string, AttemptState, Step, AttemptState])[] = [
  ['first failure', running(), unreachable, paused(300, 1)],
  ['second', running(1), unreachable, paused(600, 2)],
  ['seventh', running(6), unreachable, paused(19_200, 7)],
  ['eighth', running(7), unreachable, paused(30_000, 8)],
  ['any later', running(10), unreachable, paused(30_000, 10)],
  ['heavy', running(8, heavy), unreachable, paused(76_800, 9, heavy)],
  ['heavy, later', running(10, heavier), unreachable, paused(120_000, 10, heavier)],
  ['TCP, later', running(10, tcp), unreachable, paused(30_000, 10, tcp)],
  ['busy at first', running(), failed('busy'), paused(300, 1)],
  ['busy after many', running(9), failed('busy'), paused(1200, 3)],
  ['not supported', running(), failed('unsupported'), paused(30_000, 10)],
  ['an upgrade fails twice', running(1, upgrade), unreachable, paused(600, 2, upgrade)],
  ['and a third time', running(2, upgrade), unreachable, ended(3, upgrade)],
  ['an upgrade is not supported', running(0, upgrade), failed('unsupported'), ended(10, upgrade)],
  ['new types in a pause', paused(30_000, 9), wanted(others), paused(0, 0, others)],
  [
    'new types during a run',
    running(9),
    wanted({ natTypes: '5,5', isUpgrade: true }),
    running(0, { natTypes: '5,5', isUpgrade: true }),
  ],
  ['new types after the end', ended(3, upgrade), wanted(others), paused(0, 0, others)],
]

for (const [name, from, step, to] of steps) test(name, () => assert.equal(step(from), to))

test('the same types change nothing, in every phase', () => {
  for (const state of [paused(300), running(2), ended(3)])
    assert.is(wanted({ isUdpLikely: true })(state), state)
})

test.run()
