import { natTypes } from '@lantern-room/easytier'
import { type RelayedPair, relayReasonOf } from '#internal/room/network/members/memberLinks'
import type { RelayReason } from '#internal/room/networkStatus'
import { assert, suite } from '#support/runner/suite'

const test = suite('why members are relayed')

const PAIR: RelayedPair = {
  isDirectHere: true,
  isDirectThere: true,
  natHere: natTypes.portRestricted,
  natThere: natTypes.portRestricted,
  relayedMs: 60_000,
}
const { symmetric, unknown, openInternet, symmetricEasyIncreasing } = natTypes

const CASES: readonly (readonly [RelayReason, Partial<RelayedPair>])[] = [
  ['not-found', {}],
  ['not-found', { natHere: symmetric }],
  ['not-found', { natHere: symmetric, natThere: openInternet }],
  ['searching', { relayedMs: 0 }],
  ['searching', { relayedMs: 5000, natHere: symmetric, natThere: symmetric }],
  ['strict-routers', { natHere: symmetric, natThere: symmetricEasyIncreasing }],
  ['no-udp-here', { natHere: unknown }],
  ['no-udp-here', { natHere: unknown, natThere: unknown }],
  ['no-udp-there', { natThere: unknown }],
  ['direct-off-here', { isDirectHere: false, isDirectThere: false, relayedMs: 0 }],
  ['direct-off-there', { isDirectThere: false, relayedMs: 0 }],
]
for (const [reason, change] of CASES) {
  test(`${JSON.stringify(change)}: ${reason}`, () => {
    assert.is(relayReasonOf({ ...PAIR, ...change }), reason)
  })
}

test.run()
