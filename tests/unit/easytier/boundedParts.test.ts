import { createBoundedParts, MAX_AGE_MS, MAX_OPEN, MAX_OPEN_PER_SENDER } from '#core/easytier/boundedParts'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: incomplete messages', { setUp: () => createBoundedParts<string>() })

test('an entry is found until it is deleted', (parts) => {
  assert.equal([parts.start('a', 1, 'first', 0), parts.get('a', 0)], ['first', 'first'])
  parts.delete('a')
  assert.equal([parts.get('a', 0), parts.size], [undefined, 0])
})

test('entries are dropped at their age', (parts) => {
  parts.start('a', 1, 'a', 0)
  parts.start('b', 2, 'b', 1)
  assert.is(parts.get('a', MAX_AGE_MS - 1), 'a')
  assert.equal([parts.get('a', MAX_AGE_MS), parts.get('b', MAX_AGE_MS)], [undefined, 'b'])
})

test('at the limit of a sender its own oldest entry is dropped', (parts) => {
  parts.start('other', 2, 'other', 0)
  for (let each = 0; each <= MAX_OPEN_PER_SENDER; each += 1) parts.start(String(each), 1, '', 0)
  assert.equal(
    ['other', '0', '1'].map((key) => parts.get(key, 0)),
    ['other', undefined, ''],
  )
})

test('at the limit of all senders the oldest entry is dropped', (parts) => {
  for (let sender = 0; sender <= MAX_OPEN; sender += 1) parts.start(String(sender), sender, '', 0)
  assert.equal([parts.size, parts.get('0', 0)], [MAX_OPEN, undefined])
})

test.run()
