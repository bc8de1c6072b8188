import * as assert from 'uvu/assert'
import {
  type AttemptEvent,
  type AttemptGoal,
  type AttemptState,
  initialState,
  nextState,
} from '#core/easytier/holePunching/attemptState'
import { suite } from '#support/runner/suite'

const test = suite('easytier: states of an attempt')

const goal: AttemptGoal = { natTypes: '5,0', isUdpLikely: false, isUpgrade: false }
const facts = { strategy: 'cone', failures: 0, natTypes: '5,0', isUpgrade: false } as const

const paused = (pauseMs: number, changes: Partial<AttemptState> = {}): AttemptState => ({
  ...facts,
  ...changes,
  phase: 'paused',
  pauseMs,
})
const running = (changes: Partial<AttemptState> = {}): AttemptState => ({
  ...facts,
  ...changes,
  phase: 'running',
})
const ended = (changes: Partial<AttemptState> = {}): AttemptState => ({
  ...facts,
  ...changes,
  phase: 'ended',
})
const failed = (reason: 'no-connection' | 'busy' | 'unsupported'): AttemptEvent => ({
  kind: 'failed',
  reason,
})
const wanted = (changes: Partial<AttemptGoal> = {}): AttemptEvent => ({
  kind: 'wanted',
  goal: { ...goal, ...changes },
})

test('the first run comes at once; TCP waits for a UDP strategy that is likely to succeed', () => {
  for (const [strategy, isUdpLikely, pauseMs] of [
    ['cone', false, 0],
    ['cone', true, 0],
    ['symmetric-to-cone', true, 0],
    ['tcp', false, 0],
    ['tcp', true, 1000],
  ] as const)
    assert.equal(initialState(strategy, { ...goal, isUdpLikely }), paused(pauseMs, { strategy }))
})

const steps: readonly (readonly [name: string, AttemptState, AttemptEvent, AttemptState])[] = [
  ['a pause is over', paused(300, { failures: 1 }), { kind: 'due' }, running({ failures: 1 })],
  ['first failure', running(), failed('no-connection'), paused(300, { failures: 1 })],
  ['second', running({ failures: 1 }), failed('no-connection'), paused(600, { failures: 2 })],
  ['seventh', running({ failures: 6 }), failed('no-connection'), paused(19_200, { failures: 7 })],
  ['eighth', running({ failures: 7 }), failed('no-connection'), paused(30_000, { failures: 8 })],
  ['any later', running({ failures: 10 }), failed('no-connection'), paused(30_000, { failures: 10 })],
  [
    'heavy',
    running({ strategy: 'cone-to-symmetric', failures: 8 }),
    failed('no-connection'),
    paused(76_800, { strategy: 'cone-to-symmetric', failures: 9 }),
  ],
  [
    'heavy, later',
    running({ strategy: 'both-predictable', failures: 10 }),
    failed('no-connection'),
    paused(120_000, { strategy: 'both-predictable', failures: 10 }),
  ],
  [
    'TCP, later',
    running({ strategy: 'tcp', failures: 10 }),
    failed('no-connection'),
    paused(30_000, { strategy: 'tcp', failures: 10 }),
  ],
  ['busy at first', running(), failed('busy'), paused(300, { failures: 1 })],
  ['busy after many', running({ failures: 9 }), failed('busy'), paused(1200, { failures: 3 })],
  ['not supported', running(), failed('unsupported'), paused(30_000, { failures: 10 })],
  [
    'an upgrade fails twice',
    running({ isUpgrade: true, failures: 1 }),
    failed('no-connection'),
    paused(600, { isUpgrade: true, failures: 2 }),
  ],
  [
    'and a third time',
    running({ isUpgrade: true, failures: 2 }),
    failed('no-connection'),
    ended({ isUpgrade: true, failures: 3 }),
  ],
  [
    'an upgrade is not supported',
    running({ isUpgrade: true }),
    failed('unsupported'),
    ended({ isUpgrade: true, failures: 10 }),
  ],
  [
    'new types in a pause',
    paused(30_000, { failures: 9 }),
    wanted({ natTypes: '5,5' }),
    paused(0, { natTypes: '5,5' }),
  ],
  [
    'new types during a run',
    running({ failures: 9 }),
    wanted({ natTypes: '5,5', isUpgrade: true }),
    running({ natTypes: '5,5', isUpgrade: true }),
  ],
  [
    'new types after the end',
    ended({ isUpgrade: true, failures: 3 }),
    wanted({ natTypes: '5,5' }),
    paused(0, { natTypes: '5,5' }),
  ],
]

for (const [name, from, event, to] of steps) test(name, () => assert.equal(nextState(from, event), to))

test('the same types change nothing, in every phase', () => {
  for (const state of [paused(300), running({ failures: 2 }), ended({ failures: 3 })])
    assert.is(nextState(state, wanted({ isUdpLikely: true })), state)
})

test.run()
