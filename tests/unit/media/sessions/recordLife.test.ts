import { readExpiry } from '#core/media/sessions/recordLife'
import { assert, suite } from '../../../support/runner/suite'

const test = suite('the life of a record')
const CREATED = 1_795_000_000
const YEAR = 365 * 86_400

const expiryOf = (stored: unknown) => readExpiry(new TextEncoder().encode(JSON.stringify(stored)), 100)

test('is what the record says, whatever the host would give', () => {
  for (const seconds of [0, 1, 100, 86_400, YEAR])
    assert.is(expiryOf({ created_at: CREATED, expires_at: CREATED + seconds }), CREATED + seconds)
})

test('of an older version is that of this host', () => {
  assert.is(expiryOf({ created_at: CREATED }), CREATED + 100)
})

test('is read although nothing else can be understood', () => {
  const newer = { created_at: CREATED, expires_at: CREATED + 9, original: { kind: 'hologram' }, v: 9 }
  assert.is(expiryOf(newer), CREATED + 9)
})

test('is unknown where a time is none, or is impossible', () => {
  for (const expires_at of [null, '1', {}, 0.5, -CREATED, CREATED - 1, CREATED + YEAR + 1, 1e300])
    assert.is(expiryOf({ created_at: CREATED, expires_at }), undefined, String(expires_at))
  for (const created_at of [undefined, null, '1', 'NaN'])
    assert.is(expiryOf({ created_at, expires_at: CREATED }), undefined, String(created_at))
  const infinite = '{"created_at":1795000000,"expires_at":1e999}'
  assert.is(readExpiry(new TextEncoder().encode(infinite), 100), undefined)
  for (const text of ['', 'null', '[]', '{', '"x"'])
    assert.is(readExpiry(new TextEncoder().encode(text), 100), undefined, text)
})

test.run()
