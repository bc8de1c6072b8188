import { assert, suite } from '#support/runner/suite'
import { renderHelp } from '../../../../local-runner/commandLine/renderHelp'

const test = suite('help texts')

test('paragraphs and options are separated by an empty line, in columns', () => {
  const options = {
    name: { value: 'NAME', help: ['who you are'], default: 'Host' },
    output: { value: 'FILE', short: 'o', help: ['where to', 'write it'], default: 'beside' },
    quiet: { short: 'q', help: ['say nothing'] },
  }
  const text = renderHelp(['\n  usage\n', options, 'Done.'], { textColumn: 20, defaultColumn: 40 })
  assert.equal(text.split('\n'), [
    '  usage',
    '',
    '  --name NAME       who you are         (Host)',
    '  -o, --output FILE where to',
    '                    write it            (beside)',
    '  -q, --quiet       say nothing',
    '',
    'Done.',
    '',
  ])
})

test('a label that reaches into the column of explanations has a line of its own', () => {
  const options = { 'total-bytes': { value: 'N', help: ['of all', 'rooms'], default: '1' } }
  const text = renderHelp([options], { textColumn: 16, defaultColumn: 26 })
  assert.equal(text.split('\n'), [
    '  --total-bytes N',
    '                of all',
    '                rooms     (1)',
    '',
  ])
})

test('a default that does not fit behind its column ends at the right edge', () => {
  const options = { room: { help: ['x'], default: 'y'.repeat(20) } }
  const text = renderHelp([options], { textColumn: 10, defaultColumn: 70 })
  assert.is(text, `${'  --room  x'.padEnd(58)}(${'y'.repeat(20)})\n`)
  assert.is(text.length, 81)
})

test.run()
