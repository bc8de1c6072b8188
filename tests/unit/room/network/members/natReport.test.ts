import { natTypes } from '@lantern-room/easytier'
import { natKindOf } from '#internal/room/network/members/natReport'
import { assert, suite } from '#support/runner/suite'

const test = suite('what a NAT type means for players')

test('every pair of types is of one kind: only two symmetric sides need a shared node', () => {
  const { unknown, openInternet, portRestricted, symmetric, noPat } = natTypes
  assert.is(natKindOf(openInternet, unknown), 'open')
  assert.is(natKindOf(portRestricted, symmetric), 'easy')
  assert.is(natKindOf(symmetric, noPat), 'hard')
  assert.is(natKindOf(unknown, noPat), 'tcp-only')
  for (const tcp of [unknown, symmetric]) assert.is(natKindOf(unknown, tcp), 'blocked')
})

test.run()
