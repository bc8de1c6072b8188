import { type Environment, readSettings } from '@lantern-room/base/settings'
import { readServiceTokens, type ServiceToken } from '#internal/clients/tokens'
import { assert, suite } from '#support/runner/suite'
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

test('names may have 64 characters; limits may be as low as 1 job and 1024 bytes, and as high as fifteen digits', () => {
  assert.equal(named(`${'a'.repeat(64)}:long-enough:1:1024`)[0]?.maxUploadBytes, 1024)
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

test.run()
