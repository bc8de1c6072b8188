import { type FailureCode, otherEncryption, RoomFailure } from '#internal/room/failure'
import {
  askAgainMs,
  checkSigns,
  considerOthers,
  decide,
  type HostState,
  isFinal,
  isLongLoss,
  isUnreadable,
  reachAgainMs,
  returnAgainMs,
  type Search,
  type SearchDecision,
  type SearchFailure,
  searchAgainMs,
  searchLostAgainMs,
} from '#internal/room/network/hostSearch/policy'
import { assert, suite } from '#support/runner/suite'

const test = suite('room: what a guest does on its way to its host')

const start: Search<string> = {
  hosts: [],
  proved: [],
  others: [],
  needsProof: false,
  elapsedMs: 0,
  connectedMs: undefined,
  hasNodes: true,
  wasRefused: false,
  isRefusedEverywhere: false,
}
const wait = (ms: number) => ({ kind: 'wait', ms }) as const
const failed = (code: SearchFailure) => ({ kind: 'failed', code }) as const
const found = (host: string) => ({ kind: 'found', host }) as const
const two = { hosts: ['a', 'b'], connectedMs: 1000, elapsedMs: 1500 }
const known = { hosts: ['a'], needsProof: true, connectedMs: 1000, elapsedMs: 1500 }
const late = { connectedMs: 15_000, elapsedMs: 15_000 }

const rows: readonly (readonly [string, Partial<Search<string>>, SearchDecision<string>])[] = [
  ['one host', { hosts: ['a'] }, found('a')],
  ['one host, though the time is over', { hosts: ['a'], elapsedMs: 60_000, connectedMs: 60_000 }, found('a')],
  ['one host, though the secret was refused', { hosts: ['a'], wasRefused: true }, found('a')],

  ['nothing yet', {}, wait(500)],
  ['no node, shortly before the limit', { elapsedMs: 7900 }, wait(101)],
  ['no node, just before the limit', { elapsedMs: 7999 }, wait(2)],
  ['no node', { elapsedMs: 8000 }, failed('no-relay-reachable')],
  ['no node, and none is configured', { elapsedMs: 8000, hasNodes: false }, failed('host-not-found')],
  ['no node, but a member with another secret', { elapsedMs: 8000, wasRefused: true }, failed('wrong-room')],

  ['connected late', { elapsedMs: 22_999, connectedMs: 14_999 }, wait(2)],
  ['connected, no host', { elapsedMs: 15_000, connectedMs: 15_000 }, failed('host-not-found')],
  ['connected, wrong secret', { connectedMs: 15_000, wasRefused: true }, failed('wrong-room')],
  ['refused by some nodes', { connectedMs: 4000, wasRefused: true }, wait(500)],
  [
    'refused everywhere, in time',
    { connectedMs: 3999, wasRefused: true, isRefusedEverywhere: true },
    wait(2),
  ],
  [
    'refused everywhere',
    { connectedMs: 4000, wasRefused: true, isRefusedEverywhere: true },
    failed('wrong-room'),
  ],

  ['two hosts, none has answered', two, wait(500)],
  ['two hosts, one has answered', { ...two, proved: ['b'] }, found('b')],
  ['two hosts, both have answered: the first', { ...two, proved: ['b', 'a'] }, found('b')],
  ['two hosts, one is none', { ...two, others: ['a'] }, wait(500)],
  ['two hosts, one is none, at the end', { ...two, ...late, others: ['a'] }, found('b')],
  ['two hosts, both silent at the end', { ...two, ...late }, failed('several-hosts')],
  ['two hosts, none is one at the end', { ...two, ...late, others: ['b', 'a'] }, failed('several-hosts')],

  ['a known key, one host that has not answered', known, wait(500)],
  ['a known key, one host that proves it', { ...known, proved: ['a'] }, found('a')],
  ['a known key, one host with another', { ...known, others: ['a'] }, wait(500)],
  ['a known key, two hosts, one proves it', { ...known, ...two, others: ['a'], proved: ['b'] }, found('b')],
  ['a known key, another host at the end', { ...known, ...late, others: ['a'] }, failed('host-changed')],
  ['a known key, a silent host at the end: it may be slow', { ...known, ...late }, found('a')],
  ['a known key, two silent hosts at the end', { ...known, ...two, ...late }, failed('several-hosts')],
  ['a known key, nobody at the end', { ...known, ...late, hosts: [] }, failed('host-not-found')],
]

for (const [name, change, decision] of rows)
  test(`${name}: ${decision.kind}`, () => assert.equal(decide({ ...start, ...change }), decision))

const signs = { silenceMs: 0, unreachableMs: undefined, probedMs: 0, hasAnsweredProbe: true }
for (const [name, change, expected] of [
  ['not probed yet', { probedMs: Number.POSITIVE_INFINITY, hasAnsweredProbe: false }, [false, true, 250]],
  ['no answer yet', { hasAnsweredProbe: false }, [false, true, 250]],
  ['heard of lately', { silenceMs: 3999, probedMs: 60_000 }, [false, false, 500]],
  ['quiet', { silenceMs: 4000, probedMs: 1000 }, [false, true, 500]],
  ['quiet, and probed a moment ago', { silenceMs: 4000, probedMs: 999 }, [false, false, 500]],
  ['silent', { silenceMs: 6000 }, [true, false, 500]],
  ['without a route', { unreachableMs: 1499 }, [false, false, 500]],
  ['without a route for a while', { unreachableMs: 1500 }, [true, false, 500]],
] as const)
  test(`a host ${name}`, () => {
    const { isLost, isProbeDue, againMs } = checkSigns({ ...signs, ...change })
    assert.equal([isLost, isProbeDue, againMs], expected)
  })

const there: HostState = { identity: 'keyed', hasAnswered: true, isReachable: true, isLost: false }
const others = ['a', 'b']
for (const [name, change, members, asked, next] of [
  ['a key, the host is there', {}, others, [], undefined],
  ['a key, the host is lost', { isLost: true }, others, others, undefined],
  ['a key, no route to the host', { isReachable: false }, ['a'], ['a'], undefined],
  ['a key, another one has answered in its name', { hasAnswered: false }, others, others, undefined],
  ['no key, the host is there', { identity: 'keyless' }, ['next'], [], undefined],
  [
    'no key, its next run has not answered',
    { identity: 'keyless', hasAnswered: false },
    ['next'],
    [],
    undefined,
  ],
  ['no key, the host is lost', { identity: 'keyless', isLost: true }, ['a', 'next'], [], 'next'],
  [
    'no key, the host is lost and did not return',
    { identity: 'keyless', isLost: true },
    ['a'],
    [],
    undefined,
  ],
  ['nothing known', { identity: 'unknown', hasAnswered: false }, others, others, undefined],
  ['nothing known, the host has gone', { identity: 'unknown', isReachable: false }, ['a'], ['a'], 'a'],
  ['nothing known, the host is lost', { identity: 'unknown', isLost: true }, ['a'], ['a'], 'a'],
  ['nothing known, two others', { identity: 'unknown', isLost: true }, others, others, undefined],
] as const)
  test(`other members: ${name}`, () => {
    const decision = considerOthers({ ...there, ...change }, members, (other) => other === 'next')
    assert.equal(decision, { asked, next })
  })

const failure = (code: FailureCode) => new RoomFailure(code, 'It failed.')

for (const [seeker, code, ms] of [
  ['once', 'host-not-found', undefined],
  ['waiting', 'host-not-found', 2000],
  ['waiting', 'host-changed', 2000],
  ['waiting', 'several-hosts', undefined],
  ['waiting', 'wrong-room', undefined],
  ['waiting', 'no-relay-reachable', undefined],
] as const)
  test(`a guest that searches ${seeker}, after ${code}`, () =>
    assert.is(searchAgainMs(seeker === 'waiting', failure(code)), ms))

const host = { isReplaced: false, isAwaited: true, waits: false, elapsedMs: 0 }
for (const [name, change, code, ms] of [
  ['that may be another one', {}, 'host-unreachable', 2000],
  ['that may be another one, in time', { elapsedMs: 14_999 }, 'connection-lost', 2000],
  ['that may be another one, too late', { elapsedMs: 15_000 }, 'connection-lost', undefined],
  ['that is waited for', { elapsedMs: 60_000, waits: true }, 'not-encrypted', 2000],
  ['that is known', { isAwaited: false, waits: true }, 'host-unreachable', undefined],
  ['that was replaced', { isAwaited: false, isReplaced: true, elapsedMs: 60_000 }, 'invalid-response', 2000],
  ['that refuses', {}, 'refused', undefined],
  ['that is another one', { isReplaced: true }, 'host-changed', undefined],
] as const)
  test(`a host ${name}, after ${code}`, () =>
    assert.is(reachAgainMs({ ...host, ...change }, failure(code)), ms))

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

test('a lost host may take a minute to return', () => {
  const againMs = (lostMs: number) => returnAgainMs({ lostMs, unchangedMs: lostMs, waits: false })
  assert.equal([0, MINUTE - 1, MINUTE].map(againMs), [SECOND, SECOND, undefined])
})

for (const [lostMs, unchangedMs, ms] of [
  [0, 0, SECOND],
  [MINUTE, MINUTE, SECOND],
  [10 * MINUTE - 1, 10 * MINUTE - 1, SECOND],
  [10 * MINUTE, 10 * MINUTE, 10 * SECOND],
  [30 * MINUTE, 30 * MINUTE, 30 * SECOND],
  [HOUR, HOUR, MINUTE],
  [12 * HOUR - 1, 12 * HOUR - 1, MINUTE],
  // The network has found it again: it is tried like one that was just lost.
  [11 * HOUR, 0, SECOND],
  [11 * HOUR, 30 * MINUTE, 30 * SECOND],
  [12 * HOUR, 0, undefined],
] as const)
  test(`a guest that waits, ${lostMs} ms after the loss and ${unchangedMs} ms after a change of it`, () =>
    assert.is(returnAgainMs({ lostMs, unchangedMs, waits: true }), ms))

test('a host that is there and encrypts otherwise is waited for no longer than half a minute', () =>
  assert.equal([undefined, 0, 29_999, 30_000].map(isUnreadable), [false, false, false, true]))

test('who waits is told so when the loss is not over in a moment', () =>
  assert.equal(
    [3999, 4000].flatMap((lostMs) => [true, false].map((waits) => isLongLoss({ lostMs, waits }))),
    [false, false, true, false],
  ))

test('a host that stays away is searched for by the code, and asked for, more and more seldom', () => {
  const times = [0, 10 * MINUTE - 1, 10 * MINUTE, HOUR, 12 * HOUR]
  const after = (againMs: (vainMs: number) => number) => times.map(againMs)
  assert.equal(after(searchLostAgainMs), [2000, 2000, 10_000, MINUTE, MINUTE])
  assert.equal(
    after((ms) => askAgainMs(true, ms)),
    [2000, 2000, 10_000, MINUTE, MINUTE],
  )
  assert.equal(
    after((ms) => askAgainMs(false, ms)),
    [250, 250, 10_000, MINUTE, MINUTE],
  )
})

test('a guest that waits does not wait for a host that encrypts otherwise', () => {
  const error = otherEncryption()
  const againMs = (elapsedMs: number) =>
    reachAgainMs({ isReplaced: false, isAwaited: true, waits: true, elapsedMs }, error)
  assert.equal([14_999, 15_000].map(againMs), [2000, undefined])
})

test('a player that the host refuses leaves, also where it would wait for the host', () => {
  const codes = ['refused', 'removed', 'room-full', 'own-room', 'connection-lost', 'host-changed'] as const
  assert.equal(codes.map(failure).map(isFinal), [true, true, true, true, false, false])
  assert.not(isFinal(new Error('refused')))
})

test.run()
