import * as assert from 'uvu/assert'
import { createBoundedParts } from '#core/easytier/boundedParts'
import { suite } from '#support/runner/suite'

const test = suite('easytier: incomplete messages')

const LIMITS = { maxAgeMs: 100, maxOpen: 4, maxOpenPerSender: 2 }

test('an entry is found until it is deleted', () => {
  const parts = createBoundedParts<string>(LIMITS)
  assert.is(parts.start('a', 1, 'first', 0), 'first')
  assert.is(parts.get('a'), 'first')
  parts.delete('a')
  assert.is(parts.get('a'), undefined)
  assert.is(parts.size, 0)
})

test('entries are dropped at their age', () => {
  const parts = createBoundedParts<string>(LIMITS)
  parts.start('a', 1, 'a', 0)
  parts.start('b', 2, 'b', 1)
  parts.expire(99)
  assert.is(parts.size, 2)
  parts.expire(100)
  assert.is(parts.get('a'), undefined)
  assert.is(parts.get('b'), 'b')
})

test('at the limit of a sender its own oldest entry is dropped', () => {
  const parts = createBoundedParts<string>(LIMITS)
  parts.start('other', 2, 'other', 0)
  for (const key of ['a', 'b', 'c']) parts.start(key, 1, key, 0)
  assert.equal(
    ['other', 'a', 'b', 'c'].map((key) => parts.get(key)),
    ['other', undefined, 'b', 'c'],
  )
})

test('at the limit of all senders the oldest entry is dropped', () => {
  const parts = createBoundedParts<string>(LIMITS)
  for (const [sender, key] of ['a', 'b', 'c', 'd', 'e'].entries()) parts.start(key, sender, key, 0)
  assert.is(parts.size, 4)
  assert.is(parts.get('a'), undefined)
})

test.run()
