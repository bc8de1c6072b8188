import { assert, suite } from '#support/runner/suite'
import { UsageError } from '../../../local-runner/commandLine/readArguments'
import { readProgram, readServiceChoice } from '../../../local-runner/readServiceChoice'

const test = suite('which services the command line asks for')

const chosen: readonly (readonly [args: readonly string[], services: readonly string[]])[] = [
  [[], ['media', 'room']],
  [['media'], ['media']],
  [['room'], ['room']],
  [
    ['room', 'media'],
    ['room', 'media'],
  ],
  [['room', 'room'], ['room']],
  [['worker'], ['worker']],
]
for (const [args, services] of chosen)
  test(`"${args.join(' ')}": ${services.join(', ')}`, () => {
    const usual = { services, installsFfmpeg: false, isForPhone: false }
    assert.equal(read(...args), usual)
    assert.equal(read('--install-ffmpeg', ...args), { ...usual, installsFfmpeg: true })
    assert.equal(read(...args, '--install-ffmpeg'), { ...usual, installsFfmpeg: true })
  })

const programs: readonly (readonly [typed: string, program: string, args: string])[] = [
  ['', 'services', ''],
  ['--help', 'services', '--help'],
  ['media room', 'services', 'media room'],
  ['room', 'services', 'room'],
  ['room media --install-ffmpeg', 'services', 'room media --install-ffmpeg'],
  ['room --install-ffmpeg', 'services', 'room --install-ffmpeg'],
  ['photo', 'photo', ''],
  ['photo a.mp4 --out b.jpg', 'photo', 'a.mp4 --out b.jpg'],
  ['room join U/AAAA-BBBB-CCCC-DDDD', 'room', 'join U/AAAA-BBBB-CCCC-DDDD'],
  ['room --help', 'room', '--help'],
  ['room jion', 'room', 'jion'],
  ['open -- lantern-room:join', 'room', 'open -- lantern-room:join'],
  ['lantern-room:join', 'room', 'lantern-room:join'],
]
for (const [typed, program, args] of programs)
  test(`"lantern-room ${typed}" is ${program} with "${args}"`, () => {
    const words = (text: string) => text.split(' ').filter(Boolean)
    assert.equal(readProgram(words(typed)), { program, args: words(args) })
  })

const refused: readonly (readonly [args: readonly string[], sentence: string])[] = [
  [['mdeia'], 'There is no service "mdeia": media and room are there.'],
  [['media', 'serve'], 'There is no service "serve": media and room are there.'],
  [['a\u001b[2J'], 'There is no service "a?[2J": media and room are there.'],
  [[''], 'There is no service "": media and room are there.'],
  [['--port', '1'], 'There is no option --port.'],
  [['-x'], 'There is no option -x.'],
  [['room', '--phone'], '--phone is for the service media, which is not started.'],
  [['--install-ffmpeg=no'], '--install-ffmpeg takes no value.'],
]
for (const [args, sentence] of refused)
  test(`${JSON.stringify(args)} is refused: ${sentence}`, () => {
    assert.throws(
      () => read(...args),
      (error: unknown) => error instanceof UsageError && error.message === sentence,
    )
  })

test('the help names both services and every option, in 80 columns', () => {
  for (const args of [['--help'], ['-h'], ['media', '--help']]) {
    const { show } = read(...args) as { readonly show: string }
    for (const words of [
      'lantern-room media',
      'lantern-room room',
      '--install-ffmpeg',
      '--phone',
      '-h, --help',
      '1.2.3',
    ])
      assert.ok(show.includes(words), `${words} in ${show}`)
    for (const line of show.split('\n')) assert.ok(line.length <= 80, line)
  }
})

function read(...args: readonly string[]) {
  return readServiceChoice(args, '1.2.3')
}

test.run()
