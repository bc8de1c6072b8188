import { flattenText } from '#core/room/game/modernPing'
import { assert, suite } from '#support/runner/suite'

const test = suite('text components')

for (const [name, component, text] of [
  ['a string', 'Hi', 'Hi'],
  ['a number and a boolean', [1, ' ', true], '1 true'],
  ['an empty list', [], ''],
  ['a list', ['a', 'b', ['c']], 'abc'],
  ['an object with text', { text: 'a', bold: true }, 'a'],
  ['its extra after its text', { text: 'a', extra: ['b', { text: 'c', extra: ['d'] }, 'e'] }, 'abcde'],
  ['extra without text', { extra: ['b'] }, 'b'],
  ['the key of a translation', { translate: 'a.key' }, 'a.key'],
  ['the fallback before the key', { translate: 'a.key', fallback: 'A text' }, 'A text'],
  ['text before both', { translate: 'a.key', fallback: 'A text', text: 't' }, 't'],
  ['extra that is no list', { text: 'a', extra: 'b' }, 'a'],
  ['null, nothing and an object as text', [null, undefined, { text: {} }, {}], ''],
] as const) {
  test(`${name}: ${JSON.stringify(text)}`, () => assert.is(flattenText(component), text))
}

test('a component may be nested to any depth', () => {
  let component: unknown = 'end'
  for (let depth = 0; depth < 1000; depth++) component = { text: '', extra: [component] }
  assert.is(flattenText(component), 'end')
  for (let depth = 0; depth < 100_000; depth++) component = [component]
  assert.is(flattenText(component), '')
})

test('no more than 2,000 components are read, and little more than 4,096 characters', () => {
  assert.is(flattenText(Array.from({ length: 5000 }, () => 'x')).length, 1999)
  assert.is(flattenText(Array.from({ length: 100 }, () => 'x'.repeat(1000))).length, 5000)
})

test.run()
