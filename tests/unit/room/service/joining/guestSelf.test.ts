import type { Profile } from '@lantern-room/protocol'
import { GuestSelf } from '#internal/room/service/joining/guestSelf'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('who a guest is, by the list of a host that cannot be asked', { setUp: start })

const ID = 'a'.repeat(32)
const STEVE = { name: 'Steve', machineId: ID, vendor: 'Demo 1.0' }
const HOST: Profile = { name: 'Alex', machineId: 'host', vendor: '', kind: 'HOST' }
const listed = (changes: Partial<Profile> = {}): Profile[] => [HOST, { ...STEVE, kind: 'GUEST', ...changes }]

function start() {
  const clock = createFakeClock()
  const self = new GuestSelf({ machineId: ID, proof: new Uint8Array(32) }, clock)
  return { clock, self }
}

test('before it has registered, an entry of another name, vendor or kind is another player’s', ({ self }) => {
  assert.is(self.judge([HOST], STEVE), 'free')
  for (const changes of [{ name: 'Kim' }, { vendor: 'Other 1' }, { kind: 'HOST' }] as const)
    assert.is(self.judge(listed(changes), STEVE), 'taken')
})

test('an entry of its own name may be of an earlier run, for as long as hosts keep such', async ({
  clock,
  self,
}) => {
  assert.is(self.judge(listed(), STEVE), 'unclear')
  await clock.advance(19_000)
  assert.is(self.judge(listed(), STEVE), 'unclear')
  assert.is(self.judge([HOST], STEVE), 'free')
  assert.is(self.judge(listed(), STEVE), 'unclear', 'and from then on anew')
  await clock.advance(20_000)
  assert.is(self.judge(listed(), STEVE), 'taken')
})

test('what it has registered is its own, also as a host lists names in its own way, until its name gives way to another', ({
  self,
}) => {
  self.noteRegistered()
  assert.is(self.judge(listed({ name: 'steve' }), STEVE), 'free')
  assert.is(self.judge(listed(), STEVE), 'free')
  assert.is(self.judge(listed({ name: 'Kim' }), STEVE), 'taken')
  assert.is(
    self.judge(listed({ name: 'Kim' }), { ...STEVE, name: 'Steve 2' }),
    'free',
    'the player has renamed',
  )
})

test('a fresh identity differs in all, and stays', ({ self }) => {
  const { proof } = self
  assert.not(self.hasCopy)
  self.renew()
  assert.match(self.machineId, /^[0-9a-f]{32}$/)
  assert.equal([self.machineId === ID, self.proof.length, self.hasCopy], [false, 32, true])
  assert.not.equal(self.proof, proof)
  assert.is(self.judge(listed(), { ...STEVE, machineId: self.machineId }), 'free')
})

test.run()
