import { assert, suite } from '#support/runner/suite'
import { helpText } from '../../../../local-runner/cli/help'

const test = suite('manual of the command line')
const text = helpText('1.2.3')

test('it fits a window', () => {
  const lines = text.split('\n')
  assert.ok(lines.length <= 58, String(lines.length))
  for (const line of lines) assert.ok(line.length <= 80, line)
  assert.ok(lines.every((line) => line === line.trimEnd()))
})

test('it names every option, the exit codes and the version', () => {
  const options =
    '--start --end --cover --cover-file --donor --crop --rotate --repeat --speed --profile --mute --quality --hdr --metadata --captured-at --time-zone -o --output --out -f --force --json -q --quiet -h --help -V --version'
  for (const option of options.split(' ')) assert.match(text, new RegExp(`(^|[ ,])${option}[ ,]`, 'm'))
  for (const code of ['0', '1', '2', '3', '130']) assert.match(text, new RegExp(`^  ${code}[ ,]`, 'm'))
  assert.match(text, '1.2.3')
  assert.match(text, '0.1 to 10')
  assert.match(text, 'universal, google, legacy, huawei')
})

test.run()
