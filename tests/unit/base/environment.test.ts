import {
  ConfigError,
  parseList,
  parseOrigin,
  parseWebAddress,
  readSettings,
} from '#internal/base/environment'
import { assert, suite } from '#support/runner/suite'

const test = suite('reading settings')

const parseNumber = (word: string) => (/^\d+$/.test(word) ? Number(word) : undefined)

test('a list has values separated by commas, all of them allowed', () => {
  assert.equal(parseList('1', parseNumber), [1])
  assert.equal(parseList(' 1 ,2,, 3, ', parseNumber), [1, 2, 3])
  for (const raw of ['', ' , ', 'x', '1,x', '1 2']) assert.is(parseList(raw, parseNumber), undefined)
})

test('an origin has no path, and its slash at the end is dropped', () => {
  assert.is(parseOrigin('https://app.example.com'), 'https://app.example.com')
  assert.is(parseOrigin('http://127.0.0.1:8080/'), 'http://127.0.0.1:8080')
  for (const literal of [
    'tauri://localhost',
    'app://.',
    'app://-',
    'chrome-extension://abcdef',
    'capacitor://localhost:80',
  ]) {
    assert.is(parseOrigin(literal), literal)
  }
  assert.is(parseOrigin('Tauri://LocalHost'), 'tauri://localhost')
  for (const raw of ['null', 'tauri://', 'file://', 'file:///x', 'app://a/b', 'app://a?b', 'app:a']) {
    assert.is(parseOrigin(raw), undefined, raw)
  }
  const refused = [
    '',
    '*',
    'app.example.com',
    'https://a.example/x',
    'https://a.example/?x',
    'https://a.example/#x',
    'data:x',
  ]
  for (const raw of refused) assert.is(parseOrigin(raw), undefined)
})

test('a web address is http or https, without user, query and fragment', () => {
  assert.is(parseWebAddress('https://a.example/b//'), 'https://a.example/b')
  for (const raw of ['a.example', 'ftp://a.example', 'https://u@a.example', 'https://a.example/?x']) {
    assert.is(parseWebAddress(raw), undefined)
  }
})

test('a token has at least 8 characters, and is never repeated in an error', () => {
  const read = readSettings({ SHORT_TOKEN: 'geheim!', GOOD_TOKEN: 'abc-._~+/9==', UNSET_TOKEN: ' ' })
  assert.is(read.token('GOOD_TOKEN'), 'abc-._~+/9==')
  assert.is(read.token('UNSET_TOKEN'), undefined)
  assert.is(read.token('SHORT_TOKEN'), undefined)
  assert.throws(
    () => read.finish(),
    (error: unknown) =>
      error instanceof ConfigError &&
      error.message.includes('SHORT_TOKEN=(not shown)') &&
      !error.message.includes('geheim'),
  )
})

test('the log level is one of four in any case; the default is info', () => {
  assert.is(readSettings({}).logLevel(), 'info')
  assert.is(readSettings({ LOG_LEVEL: 'DEBUG' }).logLevel(), 'debug')
  const read = readSettings({ LOG_LEVEL: 'loud' })
  assert.is(read.logLevel(), 'info')
  assert.throws(
    () => read.finish(),
    'A setting is wrong: LOG_LEVEL="loud": allowed is debug, info, warn, error; the default is info.',
  )
})

test.run()
