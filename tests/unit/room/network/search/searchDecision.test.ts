import {
  decide,
  type Search,
  type SearchDecision,
  type SearchFailure,
} from '#internal/room/network/search/searchDecision'
import { assert, suite } from '#support/runner/suite'

const test = suite('room discovery: found, wait or give up')

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

test.run()
