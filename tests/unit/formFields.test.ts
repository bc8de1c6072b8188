import { ServiceError } from '#core/errors'
import { readFormFields } from '#core/formFields'
import { assert, suite } from '#support/runner/suite'

const test = suite('fields of a form')

test('names and values are decoded, and no name is special', () => {
  const fields = readFormFields('a=1&b=%C3%A4+%26&__proto__=x&empty=&=nameless')
  assert.equal(
    [...fields],
    [
      ['a', '1'],
      ['b', 'ä &'],
      ['__proto__', 'x'],
      ['empty', ''],
      ['', 'nameless'],
    ],
  )
})

test('a field that is there twice is refused by its name, also with the same value', () => {
  for (const [form, named] of [
    ['a=1&b=2&a=1', 'a'],
    [`${'n'.repeat(100)}=1&${'n'.repeat(100)}=2`, 'n'.repeat(64)],
  ] as const)
    assert.throws(
      () => readFormFields(form),
      (error: unknown) =>
        error instanceof ServiceError &&
        error.code === 'unprocessable' &&
        error.message === `The field "${named}" was sent twice. Send it once.`,
    )
})

test.run()
