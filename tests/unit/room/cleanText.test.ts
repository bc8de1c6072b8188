import { cleanText, isPrintable, plainText } from '#internal/room/cleanText'
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

for (const [text, plain] of [
  ['A world', 'A world'],
  ['§aGreen §lbold§r', 'Green bold'],
  ['§😀x§', 'x'],
  ['two\nlines\t and  spaces ', 'two lines and spaces'],
  ['a\0b\u202Ec', 'abc'],
] as const) {
  test(JSON.stringify(text), () => assert.is(plainText(text, 64), plain))
}

test('it is cut at a number of characters, colours not counted', () => {
  assert.is(plainText('§a'.repeat(10) + '😀'.repeat(10), 5), '😀'.repeat(5))
})

test('only the beginning of a long text is searched', () => {
  assert.is(plainText(`${'§a'.repeat(1000)}x`, 4), '')
})

test.run()
