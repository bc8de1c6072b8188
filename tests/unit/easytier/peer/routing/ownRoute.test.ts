import { createOwnRoute } from '#internal/easytier/peer/routing/ownRoute'
import { encodePeerRecord } from '#internal/easytier/wire/peerRecord'
import { memberRecord } from '#support/network/memberRecord'
import { assert, suite } from '#support/runner/suite'

const test = suite('our own record and row', { setUp })

const OWN = 1
const START = 1_000_000
const HALF_AN_HOUR = 1_800_000

test('they begin at version 1, without neighbours', ({ own }) => {
  assert.equal(own.row(), { peerId: OWN, version: 1, connected: [] })
  assert.equal([own.record().version, own.record().updatedAtUnixMs], [1, START])
  assert.equal(own.record().raw, encodePeerRecord(own.record()))
})

test('a change raises the version and the time, and is in the bytes that others receive', ({ own, pass }) => {
  pass(5)
  assert.is(own.setRecord({ hostname: 'other', address: '10.144.144.7' }), true)
  const { hostname, address, peerId, version, updatedAtUnixMs, raw } = own.record()
  assert.equal([hostname, address, peerId, version], ['other', '10.144.144.7', OWN, 2])
  assert.is(updatedAtUnixMs, START + 5)
  assert.equal(raw, encodePeerRecord(own.record()))
})

test('what changes nothing is no news', ({ own }) => {
  const before = own.record()
  assert.is(own.setRecord({ hostname: before.hostname, features: { ...before.features } }), false)
  assert.is(own.record(), before)
})

test('neighbours are listed in order, and the same ones are no news', ({ own }) => {
  assert.is(own.setNeighbours([30, 4, 200]), true)
  assert.equal(own.row(), { peerId: OWN, version: 2, connected: [4, 30, 200] })
  assert.equal([own.setNeighbours([200, 30, 4]), own.setNeighbours([4, 30])], [false, true])
  assert.equal(own.row(), { peerId: OWN, version: 3, connected: [4, 30] })
  assert.is(own.record().version, 1, 'the record is another thing')
})

test('the record is renewed when it is older than half an hour, and a change begins a new half hour', () => {
  const { own, pass } = setUp()
  pass(HALF_AN_HOUR)
  assert.is(own.renewWhenDue(), false)
  pass(1)
  assert.is(own.renewWhenDue(), true)
  assert.equal([own.record().version, own.record().updatedAtUnixMs], [2, START + HALF_AN_HOUR + 1])
  assert.is(own.renewWhenDue(), false)
  pass(HALF_AN_HOUR)
  own.setRecord({ hostname: 'other' })
  pass(1)
  assert.is(own.renewWhenDue(), false)
})

test('where the clock is set back by hours, the record is renewed at once, and then every half hour', () => {
  const { own, pass } = setUp()
  pass(60_000)
  pass(-3 * 3_600_000)
  assert.equal([own.renewWhenDue(), own.renewWhenDue()], [true, false])
  pass(HALF_AN_HOUR + 1)
  assert.equal([own.renewWhenDue(), own.record().version], [true, 3])
})

for (const [what, version, routeId, expected] of [
  ['an older one of another run', 1, '99', undefined],
  ['one of another run with the same version', 2, '99', 3],
  ['a newer one of another run', 7, '99', 8],
  ['our own, come back', 2, '1', undefined],
  ['a newer one with our route id', 3, '1', 4],
  ['the newest one that can be true', 0x7fff_ffff, '99', 0x8000_0000],
  ['one that cannot be true', 0x8000_0000, '99', undefined],
] as const) {
  test(`${what} is ${expected === undefined ? 'no reason to renew ours' : 'outdone'}`, ({ own }) => {
    own.setRecord({ hostname: 'second' })
    assert.is(own.outdo({ ...own.record(), version, routeId }), expected !== undefined)
    assert.equal([own.record().version, own.record().routeId], [expected ?? 2, '1'])
    assert.is(own.record().hostname, 'second')
  })
}

function setUp() {
  let time = START
  const own = createOwnRoute({ ...memberRecord(OWN), hostname: 'first' }, () => time)
  return {
    own,
    pass(ms: number) {
      time += ms
    },
  }
}

test.run()
