import type { ErrorCode } from '#core/errors'
import { hasSmallFields, readSmallFields } from '#core/media/uploads/smallFields'
import { assert, suite } from '#support/runner/suite'
import { rejectedRefusal } from '#support/values/failures'

const test = suite('the fields of a small body')

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'

test('JSON and URL-encoded forms are small bodies, whatever their charset; a multipart form is none', () => {
  const isSmall = (type: string) => hasSmallFields(post(type, ''))
  for (const type of [JSON_TYPE, FORM_TYPE, 'Application/JSON ; charset=utf-8'])
    assert.ok(isSmall(type), type)
  for (const type of ['multipart/form-data; boundary=x', 'application/json5', 'text/plain', ''])
    assert.not.ok(isSmall(type), type)
})

test('numbers and truth values of JSON are read as in a form; what is null is left out', async () => {
  const json = JSON.stringify({ upload_id: 'a1', start: 1.5, audio: false, end: null })
  const expected = new Map(Object.entries({ upload_id: 'a1', start: '1.5', audio: 'false' }))
  assert.equal(await readSmallFields(post(JSON_TYPE, json)), expected)
  assert.equal(await readSmallFields(post(FORM_TYPE, 'upload_id=a1&start=1.5&audio=false')), expected)
})

const refusals: readonly [type: string, body: string, code: ErrorCode, detail: RegExp][] = [
  [JSON_TYPE, '{}', 'invalid-request', /or the upload_id of an upload/],
  [JSON_TYPE, '{"upload_id":', 'invalid-request', /or the upload_id of an upload/],
  [JSON_TYPE, '["upload_id"]', 'invalid-request', /or the upload_id of an upload/],
  [JSON_TYPE, '{"upload_id":7}', 'invalid-request', /or the upload_id of an upload/],
  [FORM_TYPE, 'upload_id=', 'invalid-request', /or the upload_id of an upload/],
  [JSON_TYPE, '{"upload_id":"a","end":[1]}', 'unprocessable', /^end must be a text, a number/],
  [FORM_TYPE, 'upload_id=a&end=1&end=2', 'unprocessable', /"end" was sent twice/],
]

test('a body that names no upload is refused, and a field that has no one value is refused by its name', async () => {
  for (const [type, body, code, detail] of refusals) {
    const error = await rejectedRefusal(readSmallFields(post(type, body)), code)
    assert.match(error.detail, detail, body)
  }
})

function post(type: string, body: string): Request {
  return new Request('http://test/prepare', { method: 'POST', body, headers: { 'Content-Type': type } })
}

test.run()
