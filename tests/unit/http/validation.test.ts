import { refuseInvalid, refuseInvalidAs } from '#core/http/validation'
import { assert, suite } from '#support/runner/suite'
import { thrownRefusal } from '#support/values/failures'

const test = suite('the hook of validated routes')

const refusalOf = (hook: typeof refuseInvalid, error: unknown) =>
  thrownRefusal(() => hook({ success: false, error }))

test('lets valid requests pass', () => refuseInvalid({ success: true }))

test('names each field in a sentence', () => {
  const issues = [
    { path: ['speed'], message: 'is missing' },
    { path: ['range', 0, 'end'], message: 'must be a number' },
  ]
  const { code, detail } = refusalOf(refuseInvalid, { issues })
  assert.equal([code, detail], ['unprocessable', 'speed is missing. range.0.end must be a number.'])
})

test('a body that is no object has no field to name', () => {
  const { detail } = refusalOf(refuseInvalid, { issues: [{ path: [], message: 'expected object' }] })
  assert.is(detail, 'The body must be a JSON object.')
})

test('an error without issues is a sentence, too', () => {
  for (const error of [undefined, {}, { issues: [] }])
    assert.match(refusalOf(refuseInvalid, error).detail, /^[A-Z].+\.$/)
})

test('may have another code', () => {
  assert.is(refusalOf(refuseInvalidAs('invalid-request'), undefined).code, 'invalid-request')
})

test.run()
