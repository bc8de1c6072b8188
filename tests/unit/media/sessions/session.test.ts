import { isExpired, isId, newId, sessionIdOfKey, sessionKeys } from '#core/media/sessions/session'
import { assert, suite } from '../../../support/runner/suite'

const test = suite('a session')

const ID = '0f8fad5bd9cb469fa16570867728950e'

test('ids are 128 random bits, and nothing else is an id', () => {
  const ids = new Set(Array.from({ length: 1000 }, newId))
  assert.is(ids.size, 1000)
  for (const id of ids) assert.ok(isId(id), id)
  for (const text of ['', 'x'.repeat(32), ID.toUpperCase(), `${ID}0`, `../${ID}`]) {
    assert.is(isId(text), false, text)
  }
})

test('its keys lead back to it, others to nothing', () => {
  for (const key of Object.values(sessionKeys(ID))) assert.is(sessionIdOfKey(key), ID)
  for (const key of ['sessions/x/preview.mp4', `uploads/${ID}/a`, ID]) {
    assert.is(sessionIdOfKey(key), undefined, key)
  }
})

test('has expired after its last second, and not at it', () => {
  assert.is(isExpired(1060, 1_060_000), false)
  assert.is(isExpired(1060, 1_060_001), true)
})

test.run()
