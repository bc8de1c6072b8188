import { describeSocketError } from '#internal/adapters/transports/describeSocketError'
import { assert, suite } from '#support/runner/suite'

const test = suite('errors of sockets in a few words')

const coded = (code: string) => Object.assign(new Error('connect 10.0.0.1:1'), { code })

test('known codes have a text without addresses, and the system’s error as cause', () => {
  for (const [code, text] of [
    ['ECONNREFUSED', 'connection refused'],
    ['EHOSTUNREACH', 'no route'],
  ] as const) {
    const error = coded(code)
    const described = describeSocketError(error)
    assert.is(described.message, text)
    assert.is(described.cause, error)
  }
})

test('the first error of several addresses counts, and the cause of one without a code', () => {
  assert.is(
    describeSocketError(new AggregateError([coded('ECONNREFUSED'), coded('ENETUNREACH')])).message,
    'connection refused',
  )
  assert.is(
    describeSocketError(new TypeError('fetch failed', { cause: coded('ENOTFOUND') })).message,
    'no such host',
  )
})

test('other errors stay as they are, and other values become errors', () => {
  const other = coded('EODD')
  assert.is(describeSocketError(other), other)
  assert.is(describeSocketError('odd').message, 'odd')
})

test.run()
