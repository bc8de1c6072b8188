import { punchPlan } from '#internal/easytier/holePunching/strategies/punchPlan'
import { natTypeOf } from '#internal/easytier/nat/natType'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: which strategies a side starts')

const side = (peerId: number, udp: number, tcp = 0) => ({ peerId, udp: natTypeOf(udp), tcp: natTypeOf(tcp) })
const udpStrategy = (own: number, other: number, ids = [1, 2]) =>
  punchPlan({ ...side(ids[0] ?? 0, own), canUdp: true }, side(ids[1] ?? 0, other)).join()

test('each pair of types has one UDP strategy, for one side or both', () => {
  const cones = [0, 2, 3, 4, 5]
  for (const own of cones) {
    for (const other of cones) assert.is(udpStrategy(own, other), 'cone')
    for (const other of [6, 7, 8, 9]) {
      assert.is(udpStrategy(own, other), 'cone-to-symmetric')
      assert.is(udpStrategy(other, own), 'symmetric-to-cone')
    }
  }
  for (const type of [...cones, 1, 6, 7, 8, 9]) {
    assert.is(udpStrategy(1, type), '', 'a side with a public address is dialled')
    assert.is(udpStrategy(type, 1), '')
  }
  for (const [own, other] of [
    [6, 6],
    [6, 8],
    [9, 6],
    [7, 9],
  ] as const)
    assert.is(udpStrategy(own, other), '')
  for (const [own, other] of [
    [8, 8],
    [8, 9],
    [9, 8],
    [9, 9],
  ] as const) {
    assert.is(udpStrategy(own, other), 'both-predictable')
    assert.is(udpStrategy(own, other, [2, 1]), '', 'the lower peer id starts')
  }
})

test('without an answer over UDP only TCP is tried; TCP needs both types, and a caller that keeps its port', () => {
  const plan = (own: number, other: number, canUdp = false) =>
    punchPlan({ ...side(1, 0, own), canUdp }, side(2, 0, other)).join()
  assert.equal([plan(2, 3), plan(2, 3, true)], ['tcp', 'cone,tcp'])
  assert.is(plan(3, 6), 'tcp', 'a symmetric side answers')
  assert.is(plan(6, 3), '', 'and does not start')
  assert.equal([plan(0, 3), plan(3, 0)], ['', ''])
})

test.run()
