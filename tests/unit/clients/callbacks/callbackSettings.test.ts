import type { KeyObject } from 'node:crypto'
import { type Environment, readSettings } from '@lantern-room/base/settings'
import { readServiceTokens } from '@lantern-room/clients'
import { callbacksOf, readCallbackSettings } from '#internal/clients/callbacks/callbackSettings'
import { assert, suite } from '#support/runner/suite'
import { problemsOf } from '#support/values/failures'

const test = suite('settings of callbacks')

function read(env: Environment) {
  const reader = readSettings(env)
  const settings = readCallbackSettings(reader, readServiceTokens(reader))
  reader.finish()
  return settings
}
const refusal = (env: Environment) => problemsOf(() => read(env)).join()

const secretOf = (letter: string) => `whsec_${letter.repeat(43)}=`
const CALLBACK_SECRET = secretOf('A')
const shown = (secrets: readonly KeyObject[] | undefined) =>
  secrets?.map((secret) => secret.export().toString('base64').charAt(0))

test('callbacks go to https origins, or to addresses of the own network that are named, and never without a secret', () => {
  const originsIn = (CALLBACK_ORIGINS: string) =>
    read({ CALLBACK_SECRET, CALLBACK_ORIGINS }).everyone?.origins
  const allowed = [
    'https://app.example.com',
    'http://localhost:81',
    'http://127.0.0.1',
    'http://[::1]:82',
    'https://10.0.0.1',
  ]
  assert.equal(originsIn(`${allowed.join(', ')}, https://B.example/`), [...allowed, 'https://b.example'])
  const metadata = [
    'http://169.254.169.254',
    'https://169.254.169.254',
    'https://[::ffff:169.254.169.254]',
    'https://[fe80::1]',
  ]
  const others = [
    'http://app.example.com',
    'http://8.8.8.8',
    'https://a.example/path',
    'ftp://localhost',
    '*',
    'https://0.0.0.0',
  ]
  for (const CALLBACK_ORIGINS of [...metadata, ...others])
    assert.match(
      refusal({ CALLBACK_SECRET, CALLBACK_ORIGINS }),
      /^CALLBACK_ORIGINS=.*allowed is https origins/,
      CALLBACK_ORIGINS,
    )
  assert.match(refusal({ CALLBACK_ORIGINS: 'https://a.example' }), /only with CALLBACK_SECRET/)
  assert.is(read({}).everyone, undefined)
})

const MEDIA_SERVICE_TOKENS = 'one:secret-01,two:secret-02'
const both = { MEDIA_SERVICE_TOKENS, MEDIA_SERVICE_TOKEN: 'one-more-token' }

test('each of several clients has origins and secrets of its own, the newest secret first', () => {
  const settings = read({
    ...both,
    CALLBACK_SECRET: `one:${secretOf('A')}, one:${secretOf('B')},two:${secretOf('C')}`,
    CALLBACK_ORIGINS: 'one:https://a.example,two:http://localhost:81,one:https://b.example:8443',
  })
  const [one, two] = [callbacksOf(settings, 'one'), callbacksOf(settings, 'two')]
  assert.equal(
    [one?.origins, shown(one?.secrets)],
    [
      ['https://a.example', 'https://b.example:8443'],
      ['A', 'B'],
    ],
  )
  assert.equal([two?.origins, shown(two?.secrets)], [['http://localhost:81'], ['C']])
  assert.equal([callbacksOf(settings, undefined), callbacksOf(settings, 'three')], [undefined, undefined])
})

test('what one client has holds for all its requests, with and without a name', () => {
  const alone = read({
    MEDIA_SERVICE_TOKENS: 'one:secret-01',
    CALLBACK_SECRET: `${secretOf('A')},${secretOf('B')}`,
    CALLBACK_ORIGINS: 'https://a.example',
  })
  for (const name of ['one', undefined]) assert.equal(shown(callbacksOf(alone, name)?.secrets), ['A', 'B'])
})

const wrong: Readonly<Record<string, Environment>> = {
  'without a name among several clients': { ...both, CALLBACK_SECRET },
  'of a client without a token': { ...both, CALLBACK_SECRET: `three:${secretOf('A')}` },
  'that two clients share': { ...both, CALLBACK_SECRET: `one:${secretOf('A')},two:${secretOf('A')}` },
  'that comes twice': { CALLBACK_SECRET: `${secretOf('A')},${secretOf('A')}` },
  'with a name beside one without': {
    MEDIA_SERVICE_TOKENS: 'one:secret-01',
    CALLBACK_SECRET: `one:${secretOf('A')},${secretOf('B')}`,
  },
  'beyond the fourth of a client': { CALLBACK_SECRET: [...'ABCDE'].map(secretOf).join() },
  'that is too short': { CALLBACK_SECRET: 'too-short-to-sign' },
}
for (const [what, env] of Object.entries(wrong)) {
  test(`a secret ${what} is refused, and is not shown`, () => {
    assert.match(
      refusal(env),
      /^CALLBACK_SECRET=\(not shown\): allowed is whsec_.*with the name of its client/,
    )
  })
}

test('an origin needs the secret of its client', () => {
  const secrets = { ...both, CALLBACK_SECRET: `one:${secretOf('A')}` }
  for (const CALLBACK_ORIGINS of ['https://a.example', 'two:https://a.example', 'one:http://a.example'])
    assert.match(refusal({ ...secrets, CALLBACK_ORIGINS }), /^CALLBACK_ORIGINS=.*each with one of them/)
})

test.run()
