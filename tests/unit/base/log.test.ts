import { describeError } from '#internal/base/log'
import { assert, suite } from '../../support/runner/suite'

const test = suite('describeError')

const error = new Error('upload', { cause: new Error('socket', { cause: 'ECONNRESET' }) })

test('fields have the stack of each error, down to a cause that is none', () => {
  const { error: stack, cause } = describeError(error) as { error: string; cause: Record<string, unknown> }
  assert.match(stack, /^Error: upload\n +at /)
  assert.match(String(cause.error), /^Error: socket\n +at /)
  assert.is(cause.cause, 'ECONNRESET')
  assert.equal(Object.keys(describeError(new Error('alone')) as object), ['error'])
})

test('a value that is no error is described by itself', () => {
  assert.is(describeError('text'), 'text')
  assert.is(describeError(undefined), undefined)
})

test.run()
