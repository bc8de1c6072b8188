import { readSettings } from '@lantern-room/base/settings'
import { readClientQuotas, readServiceTokens } from '@lantern-room/clients'
import { assert, suite } from '#support/runner/suite'
import { problemsOf } from '#support/values/failures'

const test = suite('settings of quotas')

function quotasOf(CLIENT_QUOTAS: string, MEDIA_SERVICE_TOKENS = 'app:long-enough,batch:other-secret') {
  const read = readSettings({ CLIENT_QUOTAS, MEDIA_SERVICE_TOKENS })
  const quotas = readClientQuotas(read, readServiceTokens(read))
  read.finish()
  return Object.fromEntries(quotas)
}

test('each client has its own, or that of all others', () => {
  assert.equal(quotasOf('app:photos=100:seconds=3600, batch:bytes=5000000000'), {
    app: { photos: 100, seconds: 3600 },
    batch: { bytes: 5_000_000_000 },
  })
  assert.equal(quotasOf('*:photos=10,batch:photos=99'), { app: { photos: 10 }, batch: { photos: 99 } })
  assert.equal(quotasOf('*:seconds=1', 'app:long-enough'), { app: { seconds: 1 } })
  assert.equal(quotasOf(''), {})
})

const wrong: Readonly<Record<string, string>> = {
  'of a client without a token': 'web:photos=1',
  'of a client that comes twice': 'app:photos=1,app:seconds=1',
  'of nothing': 'app',
  'with an empty part': 'app:',
  'of a kind that is not counted': 'app:jobs=1',
  'of one kind twice': 'app:photos=1:photos=2',
  'of zero': 'app:photos=0',
  'of a fraction': 'app:seconds=0.5',
  'in words': 'app:photos=many',
  'of more digits than are exact': 'app:bytes=1000000000000000',
  'after a good one': 'app:photos=1,batch:5',
}
for (const [what, list] of Object.entries(wrong)) {
  test(`a quota ${what} is refused, with the setting and what to do`, () => {
    const [problem = '', ...others] = problemsOf(() => quotasOf(list))
    assert.equal(others, [])
    assert.match(
      problem,
      /^CLIENT_QUOTAS=".*": allowed is name:photos=N.*MEDIA_SERVICE_TOKENS \(give the client/,
    )
  })
}

test('quotas of a service without names are refused', () => {
  assert.match(problemsOf(() => quotasOf('*:photos=1', ''))[0] ?? '', /MEDIA_SERVICE_TOKENS/)
})

test.run()
