import { readSmallFields } from '#internal/media/uploads/smallFields'
import { assert, suite } from '#support/runner/suite'

// Bodies that are refused: tests/contract/http/uploadCases.ts and photoCases.ts.

const test = suite('the fields of a small body')

test('numbers and truth values of JSON are read as in a form; what is null is left out', async () => {
  const read = (type: string, body: string) =>
    readSmallFields(
      new Request('http://test/', {
        method: 'POST',
        body,
        headers: { 'Content-Type': `application/${type}` },
      }),
    )
  const json = JSON.stringify({ upload_id: 'a1', start: 1.5, audio: false, end: null })
  const expected = new Map(Object.entries({ upload_id: 'a1', start: '1.5', audio: 'false' }))
  assert.equal(await read('json', json), expected)
  assert.equal(await read('x-www-form-urlencoded', 'upload_id=a1&start=1.5&audio=false'), expected)
})

test.run()
