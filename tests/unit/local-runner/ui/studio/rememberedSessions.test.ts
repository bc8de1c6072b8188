import { assert, suite } from '#support/runner/suite'
import {
  readRemembered,
  withoutSession,
  withSession,
} from '../../../../../local-runner/ui/studio/rememberedSessions'

const test = suite('remembered sessions')

const one = (id: string, expiresAt = 200) => ({ id, name: `${id}.mp4`, expiresAt })

test('sessions are read until they expire', () => {
  const stored = JSON.stringify([one('a', 101), one('b', 100), one('c', 99)])
  assert.equal(readRemembered(stored, 100), [one('a', 101)])
})

test('anything else in the store is no session', () => {
  for (const stored of [
    null,
    '',
    '{',
    '{}',
    '1',
    'null',
    '[null, 1, {"id": "../x", "name": "", "expiresAt": 999}]',
  ]) {
    assert.equal(readRemembered(stored, 0), [], String(stored))
  }
})

test('the newest comes first, once, and the oldest beyond twenty goes', () => {
  const list = withSession(withSession([], one('a')), one('b'))
  assert.equal(list, [one('b'), one('a')])
  assert.equal(withSession(list, one('a', 300)), [one('a', 300), one('b')])
  assert.equal(withoutSession(list, 'b'), [one('a')])
  const many = Array.from({ length: 20 }, (_, index) => one(`s${index}`))
  assert.is(withSession(many, one('new')).length, 20)
})

test.run()
