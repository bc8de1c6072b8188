import * as assert from 'uvu/assert'
import { natTypes } from '#core/easytier/nat/natType'
import { outlookOf } from '#core/room/network/natReport'
import { suite } from '#support/runner/suite'

const test = suite('what a NAT type means for players')

test('what to expect is said for every pair of types: only two symmetric sides need a shared node', () => {
  const { unknown, openInternet, portRestricted, symmetric, noPat } = natTypes
  assert.match(outlookOf(openInternet, unknown), /everybody/)
  assert.match(outlookOf(portRestricted, symmetric), /nearly everybody/)
  assert.match(outlookOf(symmetric, noPat), /except/)
  assert.match(outlookOf(unknown, noPat), /by TCP/)
  for (const tcp of [unknown, symmetric]) assert.not.match(outlookOf(unknown, tcp), /by TCP/)
})

test.run()
