import * as fc from 'fast-check'
import { DeadlineQueue } from '#internal/easytier/streams/deadlineQueue'
import { assert, suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'

const test = suite('easytier: queue of deadlines')

test('takes what is due, the earliest first', () => {
  const queue = new DeadlineQueue<string>()
  assert.is(queue.next(), Number.POSITIVE_INFINITY)
  queue.add('late', 30)
  queue.add('soon', 10)
  queue.add('never', Number.POSITIVE_INFINITY)
  queue.add('later', 20)
  assert.equal([queue.next(), queue.take(9), queue.take(20)], [10, [], ['soon', 'later']])
  assert.equal([queue.next(), queue.take(Number.POSITIVE_INFINITY)], [30, ['late']])
})

test('an item may become due earlier, and not later', () => {
  const queue = new DeadlineQueue<string>()
  queue.add('one', 30)
  queue.add('other', 20)
  queue.add('one', 10)
  queue.add('other', 40)
  assert.equal(queue.take(20), ['one', 'other'])
})

test('gives out what a list that is searched would give', () => {
  const act = fc.record({
    what: fc.constantFrom('add', 'add', 'add', 'delete', 'take'),
    item: fc.nat(20),
    at: fc.nat(50),
  })
  assertProperty(
    fc.property(fc.array(act, { maxLength: 200 }), (acts) => {
      const queue = new DeadlineQueue<number>()
      const plain = new Map<number, number>()
      for (const { what, item, at } of acts) {
        if (what === 'add') {
          queue.add(item, at)
          plain.set(item, Math.min(at, plain.get(item) ?? at))
        } else if (what === 'delete') {
          queue.delete(item)
          plain.delete(item)
        } else {
          const due = [...plain].filter(([, time]) => time <= at)
          const taken = queue.take(at)
          const times = taken.map((each) => plain.get(each))
          const dueTimes = due.map(([, time]) => time).sort((one, other) => one - other)
          assert.equal(times, dueTimes)
          assert.equal(new Set(taken), new Set(due.map(([each]) => each)))
          for (const each of taken) plain.delete(each)
        }
        assert.is(queue.next(), Math.min(Number.POSITIVE_INFINITY, ...plain.values()))
        assert.is(queue.dueAt(item), plain.get(item) ?? Number.POSITIVE_INFINITY)
      }
    }),
  )
})

test.run()
