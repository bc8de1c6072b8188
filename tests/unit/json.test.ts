import * as assert from 'uvu/assert'
import { parseJson } from '#core/json'
import { suite } from '#support/runner/suite'

const test = suite('JSON')

test('text and UTF-8 bytes are parsed alike', () => {
  for (const value of [null, false, 0, '', 'é😀', [1, [2]], { a: { b: null } }]) {
    const text = JSON.stringify(value)
    assert.equal(parseJson(text), value)
    assert.equal(parseJson(new TextEncoder().encode(text)), value)
  }
})

test('what is not JSON is undefined', () => {
  for (const text of ['', ' ', '{', '{}x', 'undefined', "{'a':1}", 'NaN']) {
    assert.is(parseJson(text), undefined)
    assert.is(parseJson(new TextEncoder().encode(text)), undefined)
  }
})

test.run()
