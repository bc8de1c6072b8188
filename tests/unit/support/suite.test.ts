import { assert, suite } from '#support/runner/suite'

const log: string[] = []
let count = 0

const test = suite('suites whose tests receive parts', {
  setUp: async () => {
    count += 1
    log.push(`set up ${count}`)
    return { number: count }
  },
  tearDown: ({ number }) => log.push(`torn down ${number}`),
})

test('a test receives parts of its own', ({ number }) => {
  assert.equal([number, log], [1, ['set up 1']])
})

test('they are torn down after it, and made anew for the next one', ({ number }) => {
  assert.equal([number, log], [2, ['set up 1', 'torn down 1', 'set up 2']])
})

test('a test without a parameter is not set up', () => {
  assert.equal(log.slice(3), ['torn down 2'])
})

test.run()
