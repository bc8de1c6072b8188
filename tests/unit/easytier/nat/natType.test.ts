import { isSymmetric, natTypeOf, natTypes, tcpNatType, udpNatType } from '#internal/easytier/nat/natType'
import { assert, suite } from '#support/runner/suite'

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
  const { symmetric, symmetricEasyIncreasing: rising, symmetricEasyDecreasing: falling } = natTypes
  const typeWith = (next: number) => udpNatType(at(1000, 1015, 1003), [], next)
  assert.equal([1016, 1114].map(typeWith), [rising, rising])
  assert.equal([999, 901].map(typeWith), [falling, falling])
  for (const next of [1115, 1015, 1007, 1000, 900]) assert.is(typeWith(next), symmetric, `${next}`)
  assert.is(udpNatType(at(1000, 1016), [], 1017), symmetric)
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
