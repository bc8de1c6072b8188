import { assert, suite } from '#support/runner/suite'
import { commandOptions } from '../../../../../local-runner/room/cli/commandOptions'
import { helpText } from '../../../../../local-runner/room/cli/help'

const test = suite('room: the manual')

const COMMANDS = ['open', 'serve', 'host', 'join', 'relay', 'doctor', 'report'] as const

for (const about of [undefined, ...COMMANDS]) {
  test(`that of ${about ?? 'all'} fits a window`, () => {
    const lines = helpText(about, '1.2.3').split('\n')
    assert.ok(lines.length <= 36, String(lines.length))
    for (const line of lines) {
      assert.ok(line.length <= 80, line)
      assert.is(line, line.trimEnd())
    }
  })
}

test('each command names every flag that it takes', () => {
  for (const command of COMMANDS) {
    const text = helpText(command, '1.2.3')
    for (const flag of commandOptions(command).flatMap(Object.keys))
      assert.match(text, new RegExp(`^  --${flag}[ |]`, 'm'), `${command} --${flag}`)
  }
})

test('the overview names the version, every command and every exit code', () => {
  const text = helpText(undefined, '1.2.3')
  assert.match(text, 'room 1.2.3')
  for (const command of COMMANDS) assert.match(text, `room ${command}`)
  for (const code of ['0', '1', '2', '3', '130']) assert.match(text, new RegExp(`^  ${code}[ ,]`, 'm'))
})

test.run()
