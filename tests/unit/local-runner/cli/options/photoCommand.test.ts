import { assert, suite } from '#support/runner/suite'
import { isPhotoCommand, parsePhotoCommand } from '../../../../../local-runner/cli/options/photoCommand'
import { UsageError } from '../../../../../local-runner/commandLine/readArguments'

// Orders that are carried out: tests/flows/commandLinePhotos.test.ts and tests/flows/commandLineStrip.test.ts.

const test = suite('commands that take a motion photo')
const onPosix = test.skipUnless(process.platform !== 'win32', 'paths have drives')

function read(line: string) {
  const [name, ...args] = line.split(' ')
  if (!isPhotoCommand(name)) throw new Error(`${name} is no command`)
  return parsePhotoCommand(name, args, '/home/ada')
}

onPosix('what is taken out may have a name, and a bundle stays one', () => {
  const output = '/home/ada/b.gif'
  const named = { kind: 'extract', input: '/home/ada/a.jpg', output, isNamed: true, force: true, what: 'gif' }
  assert.equal(read('extract a.jpg --what gif -f -o b.gif'), named)
  const repair = { kind: 'repair', input: '/home/ada/a.PVT', force: false, profile: undefined }
  assert.equal(read('repair a.PVT'), { ...repair, output: '/home/ada/a_repaired.pvt' })
})

const mistakes: readonly (readonly [line: string, message: string])[] = [
  ['inspect a.jpg ', 'Name the photo.'],
  ['inspect a.jpg --force', 'inspect has no option --force.'],
  [
    'repair a.jpg --profile apple',
    '--profile must be one of universal, google, legacy, huawei, not "apple".',
  ],
]
for (const [line, message] of mistakes)
  test(`${line} is refused`, () => {
    assert.throws(
      () => read(line),
      (error: unknown) => error instanceof UsageError && error.message === message,
    )
  })

test.run()
