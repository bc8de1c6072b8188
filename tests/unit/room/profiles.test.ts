import { asSeenBy, type Profile, sameProfiles } from '#core/room/profiles'
import { assert, suite } from '#support/runner/suite'

const test = suite('profiles')

const host: Profile = { name: 'Alex', machineId: 'a', vendor: 'X 1', kind: 'HOST' }
const guest: Profile = { name: 'Steve', machineId: 'b', vendor: 'X 1', kind: 'GUEST' }

test('a guest shows itself as LOCAL, and never the host', () => {
  assert.equal(asSeenBy('b', [host, guest]), [host, { ...guest, kind: 'LOCAL' }])
  assert.equal(asSeenBy('a', [host, guest]), [host, guest])
})

test('lists are the same when they show the same', () => {
  assert.ok(sameProfiles([host, guest], [{ ...host }, { ...guest }]))
  assert.not.ok(sameProfiles([host, guest], [guest, host]))
  assert.not.ok(sameProfiles([host, guest], [host]))
  assert.not.ok(sameProfiles([host], [host, guest]))
  for (const change of [{ name: 'x' }, { machineId: 'x' }, { vendor: 'x' }, { kind: 'LOCAL' as const }]) {
    assert.not.ok(sameProfiles([guest], [{ ...guest, ...change }]), JSON.stringify(change))
  }
})

test.run()
