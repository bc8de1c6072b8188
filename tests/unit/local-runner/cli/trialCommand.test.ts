import { join, resolve } from 'node:path'
import { assert, suite } from '#support/runner/suite'
import { parseTrialCommand, trialHelp } from '../../../../local-runner/cli/trialCommand'
import { UsageError } from '../../../../local-runner/commandLine/readArguments'

const test = suite('motion-photo trial, as it is typed')

const folder = resolve('/videos')
const parse = (...args: string[]) => parseTrialCommand(args, folder)

test('a file alone: its folder is beside it, and the page is shown', () => {
  assert.equal(parse('a.mp4'), {
    kind: 'trial',
    input: join(folder, 'a.mp4'),
    folder: join(folder, 'a_trial'),
    start: 0,
    cover: undefined,
    origin: { metadata: 'date', capturedAt: undefined, timeZone: undefined },
    page: { host: undefined, port: 0 },
    isQuiet: false,
  })
})

test('folder, range, address and port', () => {
  const command = parse(
    'a.mp4',
    '--out',
    't',
    '--start',
    '1:02',
    '--cover',
    '63',
    '--host',
    '::1',
    '--port',
    '8123',
  )
  assert.ok(command.kind === 'trial')
  assert.equal([command.folder, command.start, command.cover], [join(folder, 't'), 62, 63])
  assert.equal(command.page, { host: '::1', port: 8123 })
  const unseen = parse('a.mp4', '--no-serve', '-q')
  assert.ok(unseen.kind === 'trial')
  assert.equal([unseen.page, unseen.isQuiet], [undefined, true])
})

test('the table and the help', () => {
  assert.equal(parse('--table', 't'), { kind: 'trial table', folder: join(folder, 't') })
  assert.equal(parse('--help'), { kind: 'trial help' })
  assert.ok(
    trialHelp()
      .split('\n')
      .every((line) => line.length <= 80 && line === line.trimEnd()),
  )
})

const wrong: readonly (readonly [args: readonly string[], sentence: RegExp])[] = [
  [[], /Name the video/],
  [['a.mp4', 'b.mp4'], /one file only/],
  [['-'], /Standard input/],
  [['a.mp4', '--speed', '2'], /no option --speed/],
  [['a.mp4', '--start', 'soon'], /--start must be a time/],
  [['a.mp4', '--host', 'localhost'], /--host must be an address/],
  [['a.mp4', '--port', '65536'], /--port must be a number from 0 to 65535/],
  [['a.mp4', '--port', 'x'], /--port must be a number/],
  [['a.mp4', '--no-serve', '--port', '1'], /--no-serve shows no page/],
  [['a.mp4', '--out', ''], /--out needs a value/],
  [['--table', 't', 'a.mp4'], /--table takes the name of a folder/],
  [['--table', 't', '--port', '1'], /--table takes the name of a folder/],
]
for (const [args, sentence] of wrong) {
  test(`refused: ${args.join(' ') || 'nothing'}`, () => {
    assert.throws(
      () => parse(...args),
      (error: unknown) =>
        error instanceof UsageError && sentence.test(error.message) && error.command === 'trial',
    )
  })
}
