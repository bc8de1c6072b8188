import { decide, type Search, type SearchDecision } from '#core/room/network/searchDecision'
import { assert, suite } from '#support/runner/suite'

const test = suite('room discovery: found, wait or give up')

const start: Search<string> = {
  hosts: [],
  aliveHosts: [],
  elapsedMs: 0,
  severalHostsMs: undefined,
  connectedMs: undefined,
  hasNodes: true,
  wasRefused: false,
  isRefusedEverywhere: false,
}
const wait = (ms: number) => ({ kind: 'wait', ms }) as const
const failed = (code: 'several-hosts' | 'wrong-room' | 'no-relay-reachable' | 'host-not-found') =>
  ({ kind: 'failed', code }) as const
const found = (host: string) => ({ kind: 'found', host }) as const
const two = { hosts: ['a', 'b'], connectedMs: 1000, elapsedMs: 1500 }

const rows: readonly (readonly [string, Partial<Search<string>>, SearchDecision<string>])[] = [
  ['one host', { hosts: ['a'] }, found('a')],
  ['one host, though the time is over', { hosts: ['a'], elapsedMs: 60_000, connectedMs: 60_000 }, found('a')],
  ['one host, though there were two', { hosts: ['a'], severalHostsMs: 1500 }, found('a')],
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

  ['two hosts, just seen', { ...two, severalHostsMs: 0 }, wait(500)],
  ['two hosts, one answered early', { ...two, severalHostsMs: 1499, aliveHosts: ['b'] }, wait(500)],
  ['two hosts, one answered', { ...two, severalHostsMs: 1500, aliveHosts: ['b'] }, found('b')],
  [
    'two hosts, both answered',
    { ...two, severalHostsMs: 1500, aliveHosts: ['a', 'b'] },
    failed('several-hosts'),
  ],
  ['two hosts, none answered', { ...two, severalHostsMs: 1500 }, failed('several-hosts')],
  [
    'two hosts at the end of the time',
    { ...two, connectedMs: 15_000, severalHostsMs: 100 },
    failed('host-not-found'),
  ],
]

for (const [name, change, decision] of rows)
  test(`${name}: ${decision.kind}`, () => assert.equal(decide({ ...start, ...change }), decision))
