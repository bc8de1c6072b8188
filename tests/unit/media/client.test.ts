import fc from 'fast-check'
import { type Environment, readSettings } from '#core/environment'
import { readServiceTokens, type ServiceToken } from '#core/media/client'
import { assert, suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'
import { problemsOf } from '#support/values/failures'

const test = suite('service tokens')

function tokensOf(env: Environment): readonly ServiceToken[] {
  const read = readSettings(env)
  const tokens = readServiceTokens(read)
  read.finish()
  return tokens
}

const named = (list: string) => tokensOf({ MEDIA_SERVICE_TOKENS: list })

test('tokens have names and limits; the one without a name comes last', () => {
  const tokens = tokensOf({
    MEDIA_SERVICE_TOKENS: 'app:long-enough:2:1000000, batch:other-secret=:1 ,web.1:third_secret',
    MEDIA_SERVICE_TOKEN: 'the-only-one',
  })
  assert.equal(tokens, [
    { token: 'long-enough', name: 'app', maxJobs: 2, maxUploadBytes: 1_000_000 },
    { token: 'other-secret=', name: 'batch', maxJobs: 1, maxUploadBytes: undefined },
    { token: 'third_secret', name: 'web.1', maxJobs: undefined, maxUploadBytes: undefined },
    { token: 'the-only-one', name: undefined, maxJobs: undefined, maxUploadBytes: undefined },
  ])
})

test('without settings there are no tokens', () => {
  assert.equal(tokensOf({}), [])
  assert.equal(tokensOf({ MEDIA_SERVICE_TOKENS: ' ', MEDIA_SERVICE_TOKEN: '' }), [])
})

test('limits may be as low as 1 job and 1024 bytes, and as high as fifteen digits', () => {
  assert.equal(named('a:long-enough:1:1024')[0]?.maxUploadBytes, 1024)
  assert.equal(named('a:long-enough:999999:999999999999999')[0], {
    token: 'long-enough',
    name: 'a',
    maxJobs: 999_999,
    maxUploadBytes: 999_999_999_999_999,
  })
})

const wrong: Readonly<Record<string, string>> = {
  'without a name': 'without-a-name',
  'with an empty name': ':long-enough',
  'with a name of 65 characters': `${'a'.repeat(65)}:long-enough`,
  'with a space in the name': 'the app:long-enough',
  'too short': 'app:short',
  'with a space in the token': 'app:long enough',
  'with a name that comes twice': 'app:long-enough,app:another-token',
  'with a token that comes twice': 'app:long-enough,batch:long-enough',
  'for no jobs': 'app:long-enough:0',
  'for a fraction of a job': 'app:long-enough:1.5',
  'for fewer jobs than none': 'app:long-enough:-1',
  'for a number of jobs in words': 'app:long-enough:two',
  'for jobs that are not told': 'app:long-enough::2048',
  'for uploads below 1024 bytes': 'app:long-enough:1:1023',
  'for more digits than are exact': 'app:long-enough:1:1000000000000000',
  'with one field too many': 'app:long-enough:1:2048:3',
  'after a good one': 'app:long-enough,batch',
}
for (const [what, list] of Object.entries(wrong)) {
  test(`a token ${what} is refused, and the setting is not shown`, () => {
    const [problem = '', ...others] = problemsOf(() => named(list))
    assert.equal(others, [])
    assert.match(problem, /^MEDIA_SERVICE_TOKENS=\(not shown\): allowed is name:token/)
  })
}

test('every list that follows the rule is read as it was written', () => {
  const word = (unit: string, minLength: number, maxLength: number) =>
    fc.string({ unit: fc.constantFrom(...unit), minLength, maxLength })
  const token = fc.tuple(word('aZ09-._~+/', 8, 20), word('=', 0, 2)).map((parts) => parts.join(''))
  const limits = fc.oneof(
    fc.constant([]),
    fc.tuple(fc.integer({ min: 1, max: 999_999 })),
    fc.tuple(fc.integer({ min: 1, max: 999_999 }), fc.integer({ min: 1024, max: 10 ** 12 })),
  )
  const entry = fc.tuple(word('aZ09._-', 1, 64), token, limits)
  const list = fc.uniqueArray(entry, { minLength: 1, maxLength: 5, selector: ([name]) => name })
  assertProperty(
    fc.property(list, (entries) => {
      fc.pre(new Set(entries.map(([, secret]) => secret)).size === entries.length)
      const text = entries.map(([name, secret, numbers]) => [name, secret, ...numbers].join(':')).join(', ')
      const expected = entries.map(([name, token, [maxJobs, maxUploadBytes]]) => {
        return { token, name, maxJobs, maxUploadBytes }
      })
      assert.equal(named(text), expected)
    }),
  )
})

test.run()
