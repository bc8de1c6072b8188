import * as assert from 'uvu/assert'
import { isSymmetric, natTypeOf, natTypes, tcpNatType, udpNatType } from '#core/easytier/nat/natType'
import { suite } from '#support/runner/suite'

const test = suite('easytier: NAT types')

const at = (...ports: number[]) => ports.map((port) => ({ address: '203.0.113.5', port }))

test('one answer, or none, means unknown', () => {
  assert.is(udpNatType([], []), natTypes.unknown)
  assert.is(udpNatType(at(5), ['203.0.113.5']), natTypes.unknown)
  assert.is(tcpNatType(at(5), 5), natTypes.unknown)
})

test('the same address from everywhere is a cone, or the open internet where it is our own', () => {
  assert.is(udpNatType(at(5, 5), ['192.168.0.2']), natTypes.portRestricted)
  assert.is(udpNatType(at(5, 5, 5), ['192.168.0.2', '203.0.113.5']), natTypes.openInternet)
})

test('different ports or addresses are symmetric', () => {
  assert.is(udpNatType(at(5, 6), []), natTypes.symmetric)
  assert.is(udpNatType([...at(5), { address: '203.0.113.6', port: 5 }], [], 10), natTypes.symmetric)
})

test('close ports, and the next socket close behind or before them, are predictable', () => {
  const next = (port: number) => udpNatType(at(1000, 1015, 1003), [], port)
  assert.is(next(1016), natTypes.symmetricEasyIncreasing)
  assert.is(next(1114), natTypes.symmetricEasyIncreasing)
  assert.is(next(1115), natTypes.symmetric)
  assert.is(next(1015), natTypes.symmetric)
  assert.is(next(1007), natTypes.symmetric)
  assert.is(next(1000), natTypes.symmetric)
  assert.is(next(999), natTypes.symmetricEasyDecreasing)
  assert.is(next(901), natTypes.symmetricEasyDecreasing)
  assert.is(next(900), natTypes.symmetric)
  assert.is(udpNatType(at(1000, 1016), [], 1017), natTypes.symmetric)
})

test('TCP: the port stays, changes once, or changes with the target', () => {
  assert.is(tcpNatType(at(5, 5), 5), natTypes.noPat)
  assert.is(tcpNatType(at(6, 6), 5), natTypes.fullCone)
  assert.is(tcpNatType(at(5, 6), 5), natTypes.symmetric)
})

test('numbers beyond the known ones are unknown', () => {
  assert.equal([0, 5, 9, 10, 255, -1].map(natTypeOf), [0, 5, 9, 0, 0, 0])
})

test('types from 6 on are symmetric', () => {
  const found = Object.values(natTypes).filter(isSymmetric)
  assert.equal(found, [6, 7, 8, 9])
})

test.run()
