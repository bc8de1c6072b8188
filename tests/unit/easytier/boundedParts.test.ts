import { createBoundedParts } from '#core/easytier/boundedParts'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: incomplete messages', { setUp: () => createBoundedParts<string>(LIMITS) })

const LIMITS = { maxAgeMs: 100, maxOpen: 4, maxOpenPerSender: 2 }

test('an entry is found until it is deleted', (parts) => {
  assert.equal([parts.start('a', 1, 'first', 0), parts.get('a')], ['first', 'first'])
  parts.delete('a')
  assert.equal([parts.get('a'), parts.size], [undefined, 0])
})

test('entries are dropped at their age', (parts) => {
  parts.start('a', 1, 'a', 0)
  parts.start('b', 2, 'b', 1)
  parts.expire(99)
  assert.is(parts.size, 2)
  parts.expire(100)
  assert.equal([parts.get('a'), parts.get('b')], [undefined, 'b'])
})

test('at the limit of a sender its own oldest entry is dropped', (parts) => {
  parts.start('other', 2, 'other', 0)
  for (const key of ['a', 'b', 'c']) parts.start(key, 1, key, 0)
  assert.equal(['other', 'a', 'b', 'c'].map(parts.get), ['other', undefined, 'b', 'c'])
})

test('at the limit of all senders the oldest entry is dropped', (parts) => {
  for (const [sender, key] of ['a', 'b', 'c', 'd', 'e'].entries()) parts.start(key, sender, key, 0)
  assert.equal([parts.size, parts.get('a')], [4, undefined])
})

test.run()
