import { ServiceError } from '#core/errors'
import { readMediaConfig } from '#core/media/config'
import { capturedOutput } from '#support/process/capturedOutput'
import { assert, suite } from '#support/runner/suite'
import type { MotionPhotoDependencies } from '../../../../local-runner/cli/motionPhotoDependencies'
import { runCommandLine } from '../../../../local-runner/cli/runCommandLine'

// The making of motion photos: tests/flows/commandLine.test.ts.

const test = suite('the command motion-photo')

test.after.each(() => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(signal)
})

const unused = async () => {
  throw new Error('not needed')
}
const dependencies: MotionPhotoDependencies = {
  version: '1.2.3',
  folder: '/videos',
  terminal: { canRedraw: false, hasColour: false },
  isDebugging: false,
  files: {
    openPhoto: unused,
    modificationTime: async () => 0,
    writeOutputFolder: unused,
    makeFolder: unused,
    listFiles: unused,
    readInputHead: async () => undefined,
    saveStandardInput: unused,
    checkOutput: async () => undefined,
    writeOutput: unused,
  },
  limits: () => readMediaConfig({}).limits,
  async openTools() {
    throw new ServiceError('unavailable', 'There is no ffmpeg.')
  },
  killAllProcesses() {},
}

const run = (args: readonly string[], changes: Partial<MotionPhotoDependencies> = {}) =>
  capturedOutput(() => runCommandLine(args, { ...dependencies, ...changes }))

test('--version and --help are printed on standard output', async () => {
  assert.equal(await run(['--version']), { result: 0, stdout: '1.2.3\n', stderr: '' })
  const help = await run(['--help'])
  assert.equal([help.result, help.stderr], [0, ''])
  assert.match(help.stdout, /--profile NAME/)
})

test('a wrong command line is 2, with one sentence', async () => {
  assert.equal(await run([]), {
    result: 2,
    stdout: '',
    stderr: 'motion-photo: Name the video. See motion-photo --help.\n',
  })
})

test('an option that no longer exists is 2, with what to use instead', async () => {
  assert.equal(await run(['trial', 'a.mp4', '--table', 'photos']), {
    result: 2,
    stdout: '',
    stderr:
      'motion-photo: --table no longer exists: fill in README.txt, which trial writes beside the photos. See motion-photo trial --help.\n',
  })
  assert.match(
    (await run(['--watch', 'inbox', '--out', 'photos'])).stderr,
    /^motion-photo: --watch no longer exists: name the videos, and the folder of the photos with --out\. See/,
  )
  // It is about that command only.
  assert.match((await run(['a.mp4', '--table', 'photos'])).stderr, /There is no option --table\./)
})

test('what the machine lacks is 3; the stages before are shown, unless quiet', async () => {
  const quiet = await run(['a.mp4', '--quiet'])
  assert.equal(quiet, { result: 3, stdout: '', stderr: 'motion-photo: There is no ffmpeg.\n' })
  const told = await run(['a.mp4'])
  assert.equal([told.result, told.stdout], [3, ''])
  assert.match(told.stderr, /a\.mp4.*motion-photo: There is no ffmpeg\.\n$/s)
})

test('a file that exists is 1, and the options that help are named', async () => {
  const checkOutput = async () => {
    throw new ServiceError('conflict', 'The file exists.')
  }
  const { result, stderr } = await run(['a.mp4', '-q'], { files: { ...dependencies.files, checkOutput } })
  assert.is(result, 1)
  assert.is(
    stderr,
    'motion-photo: /videos/a_MP.jpg: The file exists. Overwrite it with --force, or name another with --output.\n',
  )
})

test('a signal ends it with its own code', async () => {
  const openTools = async () => {
    process.emit('SIGTERM', 'SIGTERM')
    throw new Error('ended')
  }
  const { result, stdout, stderr } = await run(['a.mp4', '-q'], { openTools })
  assert.equal([result, stdout, stderr], [143, '', 'motion-photo: Stopped. Nothing was written.\n'])
})

test.run()
