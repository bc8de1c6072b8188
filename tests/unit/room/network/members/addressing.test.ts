import type { RemotePeer } from '@lantern-room/easytier'
import { addressesOf, guestAddress, mustMove } from '#internal/room/network/members/guestNetwork'
import { assert, suite } from '#support/runner/suite'
import { recordOf } from '../../../easytier/relay/records'

const test = suite('room network: addresses of guests')

const OURS = '2.6.4-lantern'
const draw = (value: number) => () => Uint8Array.of(value)

test('a guest is somewhere from 64 to 250, whatever was drawn', () => {
  const all = new Set(Array.from({ length: 256 }, (_, value) => guestAddress(draw(value))))
  assert.is(all.size, 187)
  for (const address of all) {
    const [, last] = /^10\.144\.144\.(\d+)$/.exec(address ?? '') ?? []
    assert.ok(Number(last) >= 64 && Number(last) <= 250, address)
  }
})

test('what is taken is passed over, and where all is taken there is none', () => {
  assert.is(guestAddress(draw(0), new Set(['10.144.144.64', '10.144.144.65'])), '10.144.144.66')
  assert.is(guestAddress(draw(186), new Set(['10.144.144.250'])), '10.144.144.64')
  const all = new Set(Array.from({ length: 187 }, (_, at) => `10.144.144.${64 + at}`))
  assert.is(guestAddress(draw(7), all), undefined)
})

const own = { peerId: 500, address: '10.144.144.70' }
for (const [what, other, moves] of [
  ['another address', member(400, { address: '10.144.144.71' }), false],
  ['no address', member(400, { address: undefined }), false],
  ['a lower peer id', member(400), true],
  ['a higher peer id', member(600), false],
  ['a host, whatever its id', member(600, { hostname: 'scaffolding-mc-server-13448' }), true],
  ['another program, whatever its id', member(600, { programVersion: '2.6.4-abcdef' }), true],
  ['a shared node, which has none', member(400, {}, true), false],
] as const) {
  test(`a guest ${moves ? 'moves for' : 'stays beside'} ${what}`, () => {
    assert.is(mustMove(own, [member(1, { address: '10.144.144.1' }), other]), moves)
  })
}

test('of two with one address exactly one moves', () => {
  const other = { peerId: 400, address: own.address }
  assert.is(mustMove(own, [member(400)]), true)
  assert.is(mustMove(other, [member(500)]), false)
})

test('without an address nothing is taken', () => {
  assert.is(mustMove({ peerId: 1, address: undefined }, [member(400, { address: undefined })]), false)
  assert.equal([...addressesOf([member(1), member(2, { address: undefined })])], [own.address])
})

function member(
  peerId: number,
  change: Partial<RemotePeer['record']> = {},
  isSharedNode = false,
): RemotePeer {
  const record = recordOf(peerId, 'guest')
  return {
    record: {
      ...record,
      raw: new Uint8Array(0),
      address: own.address,
      programVersion: OURS,
      features: { ...record.features, isSharedNode },
      ...change,
    },
    connection: undefined,
    via: undefined,
  }
}

test.run()
