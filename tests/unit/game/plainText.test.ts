import { plainText } from '#internal/game/plainText'
import { assert, suite } from '#support/runner/suite'

const test = suite('text of games')

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
