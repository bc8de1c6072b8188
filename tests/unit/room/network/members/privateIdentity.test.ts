import { privateIdentity } from '#internal/room/network/members/networkIdentity'
import { assert, suite } from '#support/runner/suite'

const test = suite('the network of a private room')

// The values were made by another implementation of scrypt and HKDF (Python's hashlib and hmac).
test('a private room has a name and a secret of 256 bits that show nothing of its code', async () => {
  const identity = await privateIdentity('L/0123-4567-89AB-CDEH')
  assert.equal(identity, {
    name: 'private-name-ea082db7038913577a6ae006bf548f3776a03598de316920118f8de601153519',
    secret: 'private-secret-ba9e0b259cc9bd62a1cf9240f14385722248d17c1202e2c543ef5b6a8632fd9d',
  })
  assert.not.match(JSON.stringify(identity).toUpperCase(), /0123-|4567|89AB-|CDEH/)
})

test.run()
