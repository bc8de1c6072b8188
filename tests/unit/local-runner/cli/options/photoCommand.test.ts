import { assert, suite } from '#support/runner/suite'
import { isPhotoCommand, parsePhotoCommand } from '../../../../../local-runner/cli/options/photoCommand'
import { UsageError } from '../../../../../local-runner/commandLine/readArguments'

const test = suite('commands that take a motion photo')
const FOLDER = '/home/ada'
const onPosix = test.skipUnless(process.platform !== 'win32', 'paths have drives')

test('four words are commands', () => {
  assert.equal(['inspect', 'extract', 'strip', 'repair', 'video.mp4', undefined].map(isPhotoCommand), [
    ...[true, true, true, true],
    ...[false, false],
  ])
})

const read: readonly (readonly [line: string, expected: object])[] = [
  [
    'inspect a.jpg /b.jpg',
    { kind: 'inspect', inputs: ['/home/ada/a.jpg', '/b.jpg'], json: false, donor: undefined },
  ],
  [
    'inspect --json --donor d.jpg a.jpg',
    { kind: 'inspect', inputs: ['/home/ada/a.jpg'], json: true, donor: '/home/ada/d.jpg' },
  ],
  ['inspect --help', { kind: 'photo help', about: 'inspect' }],
  [
    'extract a.livp',
    {
      kind: 'extract',
      input: '/home/ada/a.livp',
      output: '/home/ada/a.mov',
      isNamed: false,
      force: false,
      what: 'clip',
    },
  ],
  [
    'extract a.jpg --what gif -f -o b.gif',
    {
      kind: 'extract',
      input: '/home/ada/a.jpg',
      output: '/home/ada/b.gif',
      isNamed: true,
      force: true,
      what: 'gif',
    },
  ],
  [
    'strip a.jpg b -r --out c --json',
    {
      kind: 'strip',
      what: 'still',
      inputs: ['/home/ada/a.jpg', '/home/ada/b'],
      out: '/home/ada/c',
      isRecursive: true,
      json: true,
      force: false,
    },
  ],
  [
    'repair a.jpg',
    {
      kind: 'repair',
      input: '/home/ada/a.jpg',
      output: '/home/ada/a_repaired_MP.jpg',
      force: false,
      profile: undefined,
    },
  ],
  [
    'repair a.PVT',
    {
      kind: 'repair',
      input: '/home/ada/a.PVT',
      output: '/home/ada/a_repaired.pvt',
      force: false,
      profile: undefined,
    },
  ],
]
for (const [line, expected] of read)
  onPosix(line, () => {
    const [name, ...args] = line.split(' ')
    assert.ok(isPhotoCommand(name))
    assert.equal(parsePhotoCommand(name, args, FOLDER), expected)
  })

const mistakes: readonly (readonly [
  name: 'inspect' | 'extract' | 'repair',
  args: readonly string[],
  message: string,
])[] = [
  ['inspect', [], 'Name the photo.'],
  ['inspect', ['a.jpg', ''], 'Name the photo.'],
  ['inspect', ['a.jpg', '--force'], 'inspect has no option --force.'],
  ['extract', ['a.jpg', 'b.jpg'], 'Name one photo only.'],
  ['extract', ['a.jpg', '--what', 'sound'], '--what must be one of still, clip, gif, webp, not "sound".'],
  [
    'repair',
    ['a.jpg', '--profile', 'apple'],
    '--profile must be one of universal, google, legacy, huawei, not "apple".',
  ],
]
for (const [name, args, message] of mistakes)
  test(`${name} ${args.join(' ')} is refused`, () => {
    assert.throws(
      () => parsePhotoCommand(name, args, FOLDER),
      (error: unknown) => error instanceof UsageError && error.message === message,
    )
  })

test.run()
