import { nextPhase } from '#internal/easytier/streams/nextPhase'
import { streamFlags } from '#internal/easytier/streams/streamPacket'
import {
  closed,
  type DeliveryState,
  isClosed,
  isGone,
  type PhaseEvent,
  phaseDeadline,
  type StreamPhase,
  type StreamStep,
} from '#internal/easytier/streams/streamPhase'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: phases of a stream')

const NOW = 100_000
const { fin, rst } = streamFlags
const EVENTS: readonly PhaseEvent[] = ['traffic', 'fin', 'rst', 'end', 'destroy', 'dead', 'idle', 'tick']

const open: StreamPhase = { kind: 'open', since: 7 }
const ending = (unreadSince: number, peerWindow = 1000): StreamPhase => ({
  kind: 'ending',
  unreadSince,
  peerWindow,
})
const finishing = (sentAt: number, repeats = 0): StreamPhase => ({ kind: 'finishing', sentAt, repeats })
const resetting = (hasPeerEnded: boolean): StreamPhase => ({ kind: 'resetting', hasPeerEnded })
const replying = (to: 'traffic' | 'fin', flags: number, sentAt: number, until = sentAt + 15_000) =>
  ({ kind: 'closed', until, reply: { to, flags, sentAt } }) satisfies StreamPhase

/** All has arrived, and its reader has not fetched it. */
const unread: DeliveryState = { isDelivered: true, isRead: false, peerWindow: 1000, hasGap: () => false }

/** Steps out of `open`, and out of `ending` where the table of `ending` says nothing else. */
const closing: Partial<Record<PhaseEvent, StreamStep>> = {
  fin: { phase: replying('fin', fin, NOW), send: fin, error: undefined, keepsData: true },
  rst: { phase: closed(NOW), error: 'reset' },
  destroy: { phase: resetting(false), error: 'closed' },
  dead: { phase: replying('traffic', rst, NOW), send: rst, error: 'dead' },
  idle: { phase: finishing(NOW), send: fin },
}

/** For each phase the events that change it, and how; all others change nothing. */
const table: readonly (readonly [string, StreamPhase, Partial<Record<PhaseEvent, StreamStep>>])[] = [
  ['open', open, { ...closing, end: { phase: ending(7, -1) } }],
  ['ending, unread for less than 30 s', ending(NOW - 29_999), closing],
  [
    'ending, unread for 30 s',
    ending(NOW - 30_000),
    { ...closing, tick: { phase: finishing(NOW), send: fin } },
  ],
  ['ending, the window has moved', ending(0, 999), { ...closing, tick: { phase: ending(NOW) } }],
  [
    'resetting',
    resetting(false),
    {
      fin: { phase: resetting(true) },
      rst: { phase: resetting(true) },
      tick: { phase: replying('traffic', rst, NOW), send: rst },
    },
  ],
  [
    'resetting, the peer has ended, too',
    resetting(true),
    {
      fin: { phase: resetting(true) },
      rst: { phase: resetting(true) },
      tick: { phase: closed(NOW + 15_000), send: rst },
    },
  ],
  [
    'finishing for 199 ms',
    finishing(NOW - 199),
    { fin: { phase: closed(NOW - 199 + 15_000) }, rst: { phase: closed(NOW) } },
  ],
  [
    'finishing for 200 ms',
    finishing(NOW - 200, 2),
    {
      traffic: { phase: finishing(NOW, 2), send: fin },
      fin: { phase: closed(NOW - 200 + 15_000) },
      rst: { phase: closed(NOW) },
    },
  ],
  ...(
    [
      [250, 0],
      [500, 1],
      [1000, 2],
    ] as const
  ).map(
    ([wait, repeats]) =>
      [
        `finishing for ${wait} ms, FIN repeated ${repeats} times`,
        finishing(NOW - wait, repeats),
        {
          traffic: { phase: finishing(NOW, repeats), send: fin },
          fin: { phase: closed(NOW - wait + 15_000) },
          rst: { phase: closed(NOW) },
          tick: { phase: finishing(NOW, repeats + 1), send: fin },
        },
      ] as const,
  ),
  [
    'finishing, FIN repeated 3 times',
    finishing(NOW - 14_999, 3),
    {
      traffic: { phase: finishing(NOW, 3), send: fin },
      fin: { phase: closed(NOW + 1) },
      rst: { phase: closed(NOW) },
    },
  ],
  [
    'closed by RST 199 ms ago',
    replying('traffic', rst, NOW - 199),
    { fin: { phase: closed(NOW - 199 + 15_000) }, rst: { phase: closed(NOW) } },
  ],
  [
    'closed by RST 200 ms ago',
    replying('traffic', rst, NOW - 200),
    {
      traffic: { phase: replying('traffic', rst, NOW), send: rst },
      fin: { phase: closed(NOW - 200 + 15_000) },
      rst: { phase: closed(NOW) },
    },
  ],
  ['closed by FIN 199 ms ago', replying('fin', fin, NOW - 199), { rst: { phase: closed(NOW) } }],
  [
    'closed by FIN 200 ms ago',
    replying('fin', fin, NOW - 200),
    { fin: { phase: replying('fin', fin, NOW), send: fin }, rst: { phase: closed(NOW) } },
  ],
  ['closed for good', closed(NOW + 5), { rst: { phase: closed(NOW) } }],
]

for (const [title, phase, steps] of table) {
  test(title, () => {
    for (const event of EVENTS) {
      assert.equal(nextPhase(phase, event, NOW, unread), steps[event], event)
    }
  })
}

test('an ending stream sends FIN as soon as all has been read', () => {
  const read = { ...unread, isRead: true }
  assert.equal(nextPhase(ending(NOW, 999), 'tick', NOW, read), { phase: finishing(NOW), send: fin })
  assert.is(phaseDeadline(ending(NOW), read), 0)
})

test('the patience with a reader begins when all is delivered', () => {
  const undelivered = { ...unread, isDelivered: false }
  assert.equal(nextPhase(ending(0), 'tick', NOW, undelivered), { phase: ending(NOW) })
  assert.is(phaseDeadline(ending(NOW), undelivered), Number.POSITIVE_INFINITY)
  assert.is(phaseDeadline(ending(NOW), unread), NOW + 30_000)
})

test('a FIN before all data has arrived cuts the stream', () => {
  const step = nextPhase(open, 'fin', NOW, { ...unread, hasGap: () => true })
  assert.equal([step?.error, step?.keepsData], ['cut', true])
})

test('deadlines of the other phases, and when they may be forgotten', () => {
  const cases: readonly (readonly [StreamPhase, number, number])[] = [
    [open, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    [resetting(false), 0, Number.POSITIVE_INFINITY],
    [finishing(NOW, 0), NOW + 250, NOW + 15_000],
    [finishing(NOW, 1), NOW + 500, NOW + 15_000],
    [finishing(NOW, 2), NOW + 1000, NOW + 15_000],
    [finishing(NOW, 3), NOW + 15_000, NOW + 15_000],
    [closed(NOW), NOW, NOW],
    [replying('fin', fin, NOW), NOW + 15_000, NOW + 15_000],
  ]
  for (const [phase, deadline, goneAt] of cases) {
    assert.is(phaseDeadline(phase, unread), deadline, phase.kind)
    assert.not.ok(isGone(phase, Math.min(goneAt, 1e9) - 1), phase.kind)
    assert.is(isGone(phase, goneAt), Number.isFinite(goneAt), phase.kind)
  }
})

test('open and ending are the phases that are not closed', () => {
  const kinds = [open, ending(0), resetting(false), finishing(0), closed(0)].map(isClosed)
  assert.equal(kinds, [false, false, true, true, true])
})

test.run()
