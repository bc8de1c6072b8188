import { ConfigError } from '@lantern-room/base/settings'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { rejection } from '#support/values/failures'
import { runBatch } from '../../../../local-runner/cli/batch/runBatch'
import { runStrip } from '../../../../local-runner/cli/batch/runStrip'
import { composeCommandLine, userFiles } from '../../../../local-runner/cli/compose'
import { parseMotionPhotoCommand } from '../../../../local-runner/cli/options/parseMotionPhotoCommand'
import { parsePhotoCommand } from '../../../../local-runner/cli/options/photoCommand'
import { runPhotoCommand } from '../../../../local-runner/cli/runPhotoCommand'

const test = suite('an error that nobody foresaw, of one of several files')

/** The files of this machine, of which reading one throws an error. */
function failing(error: Error) {
  const fail = () => Promise.reject(error)
  return {
    ...composeCommandLine({}),
    files: { ...userFiles, readInputHead: fail, openPhoto: fail },
  }
}

/** Runs a command, and returns its exit code with what it says on standard error. */
async function said(run: () => Promise<number>): Promise<readonly [exit: number, stderr: string]> {
  const { write } = process.stderr
  let text = ''
  process.stderr.write = (chunk: Uint8Array | string) => {
    text += String(chunk)
    return true
  }
  try {
    return [await run(), text]
  } finally {
    process.stderr.write = write
  }
}

const { signal } = new AbortController()
const MISTAKE = 'This program made a mistake. Please report it: RangeError: Invalid array length'

test('a batch tells of each file, goes on and ends with 1', async () => {
  const out = await makeTempFolder('lantern-unforeseen')
  const batch = parseMotionPhotoCommand(['--out', out, '/a.mp4', '/b.mp4'], '/')
  if (batch.kind !== 'batch') throw new Error(batch.kind)
  const broken = failing(new RangeError('Invalid array length'))
  const [exit, text] = await said(() => runBatch(batch, broken, signal))
  await removeFolders(out)
  assert.is(exit, 1)
  assert.is(text.split(MISTAKE).length, 3, text)
  const wrong = new ConfigError(['It is wrong.'])
  assert.is(
    await rejection(said(() => runBatch(batch, failing(wrong), signal))),
    wrong,
    'a setting is for all',
  )
})

test('so do inspect and strip', async () => {
  const broken = failing(new RangeError('Invalid array length'))
  for (const name of ['inspect', 'strip'] as const) {
    const command = parsePhotoCommand(name, ['/a.jpg', '/b.jpg'], '/')
    const [exit, text] = await said(() =>
      command.kind === 'strip' ? runStrip(command, broken, signal) : runPhotoCommand(command, broken, signal),
    )
    assert.equal([exit, text.split(MISTAKE).length], [1, 3], text)
  }
})

test.run()
