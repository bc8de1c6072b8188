import { cleanText, isPrintable } from '#internal/base/cleanText'
import { assert, suite } from '#support/runner/suite'

const test = suite('untrusted text')

test('control characters, line breaks and bidirectional marks are removed', () => {
  assert.is(cleanText(' a\0b\r\nc\u001B[31m\u2028\u202Ed\uFEFF ', 64), 'abc[31md')
  assert.is(cleanText('\uD83D', 64), '')
})

test('text is cut between characters, not within one', () => {
  assert.is(cleanText('😀'.repeat(65), 64), '😀'.repeat(64))
  assert.is(cleanText(`${'a'.repeat(63)} b`, 64), 'a'.repeat(63))
})

test('text is printable when nothing of it would be removed', () => {
  for (const text of ['', ' a ', 'é 启动器 😀']) assert.ok(isPrintable(text), text)
  for (const text of ['a\0', '\n', '\u007F', '\u2028', '\u202E', '\u2066', '\uFEFF', '\uD83D']) {
    assert.not.ok(isPrintable(text), JSON.stringify(text))
  }
})

test.run()
