import { ConfigError, removedSettings } from '@lantern-room/base/settings'
import { readRoomConfig } from '@lantern-room/room'
import { assert, suite } from '#support/runner/suite'
import manual from '../../../../../../local-runner/room/cli/options/manual.json'
import { inLanguage } from '../../../../../../local-runner/room/cli/words/sentences'
import { readRelayConfig } from '../../../../../../local-runner/room/relay/config'

// What each wrong command is told in both languages: tests/flows/room/commandLineUsage.test.ts.

const test = suite('sentences of room in Chinese')

type Described = { readonly help?: readonly string[]; readonly default?: string; readonly variable?: string }

/** The options of every command, those that several commands share included. */
const OPTIONS: readonly Described[] = [
  manual.common,
  manual.network,
  manual.shared,
  ...Object.values(manual.commands).map(({ options }) => options),
].flatMap((table) => Object.values<Described | string>(table).filter((one) => typeof one !== 'string'))

test('each text of the help is there', () => {
  const texts = [
    ...OPTIONS.map(({ help }) => help?.join(' ') ?? ''),
    ...OPTIONS.flatMap((option) => (/[a-z]/.test(option.default ?? '') ? [option.default ?? ''] : [])),
    ...Object.values(manual.commands).flatMap(({ title, notes }) => [title, notes.join(' ')]),
  ]
  const ofNames = new Set(['', 'on', 'off', 'lantern', 'info', 'room-report.json'])
  assert.equal(
    texts.filter((text) => !ofNames.has(text) && inLanguage('zh-CN', text) === text),
    [],
  )
})

test('what is wrong about each setting is there', () => {
  const variables = OPTIONS.flatMap(({ variable }) => variable ?? [])
  const wrong = Object.fromEntries(variables.map((name) => [name, name === 'DATA_DIR' ? undefined : '§ §']))
  const problems = [readRoomConfig, readRelayConfig].flatMap((read) => {
    try {
      read({ ...wrong, ROOM_API_TOKEN: '§' })
    } catch (error) {
      assert.instance(error, ConfigError)
      return (error as ConfigError).problems
    }
    return []
  })
  assert.ok(problems.length > 20, String(problems.length))
  for (const problem of problems) {
    const told = inLanguage('zh-CN', problem)
    assert.not.match(told, ENGLISH, told)
  }
})

test('what stands in the place of a setting that is gone is there', () => {
  const names = [
    'MONTHLY_BYTES',
    'ADDRESS_BYTES_PER_SECOND',
    'PASSWORD',
    'TLS_CERT',
    'TLS_KEY',
    'METRICS_PORT',
  ]
  const told = removedSettings(Object.fromEntries(names.map((name) => [`ROOM_RELAY_${name}`, 'x'])))
  assert.is(told.length, names.length)
  for (const sentence of told)
    assert.not.match(inLanguage('zh-CN', sentence).replace(/"Behind.*?"/, ''), ENGLISH)
})

test('English is left as it is, and so is what is not known', () => {
  assert.is(inLanguage('en', '--name needs a value.'), '--name needs a value.')
  assert.is(inLanguage('zh-CN', 'Something else happened.'), 'Something else happened.')
})

test('a value that looks like a place is not filled in twice', () => {
  assert.is(inLanguage('zh-CN', '--{option} needs a value.'), '--{option} 后面要写一个值。')
})

const ENGLISH = /[a-z]{3,} [a-z]{2,}/i

test.run()
