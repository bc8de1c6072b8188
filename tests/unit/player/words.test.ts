import words from '#internal/player/element/words.json'
import { unevenIn } from '#support/docs/texts'
import { assert, suite } from '#support/runner/suite'

const test = suite('texts of the element')

test('are there in both languages, with the same names for what is filled in', () => {
  assert.equal(unevenIn(words), [])
  assert.ok(Object.values(words).every((texts) => texts.length === 2 && texts.every((text) => text !== '')))
})

test.run()
