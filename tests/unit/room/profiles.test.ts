import { asSeenBy, type Profile } from '#core/room/profiles'
import { assert, suite } from '#support/runner/suite'

const test = suite('profiles')

const host: Profile = { name: 'Alex', machineId: 'a', vendor: 'X 1', kind: 'HOST' }
const guest: Profile = { name: 'Steve', machineId: 'b', vendor: 'X 1', kind: 'GUEST' }

test('a guest shows itself as LOCAL, and never the host', () => {
  assert.equal(asSeenBy('b', [host, guest]), [host, { ...guest, kind: 'LOCAL' }])
  assert.equal(asSeenBy('a', [host, guest]), [host, guest])
})

test.run()
