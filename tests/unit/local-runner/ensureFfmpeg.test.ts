import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { ensureFfmpeg } from '../../../local-runner/ensureFfmpeg'

const test = suite('ensuring an ffmpeg')
const withShell = test.skipUnless(process.platform !== 'win32', 'apt-get is played by a shell script')

let folder: string
let said: string[]
const say = (line: string) => void said.push(line)

test.before.each(async () => {
  said = []
  folder = await makeTempFolder('ensure')
})
test.after.each(() => removeFolders(folder))

const NONE = new Error('No ffmpeg was found')

test('one that is there is used, and nothing is said', async () => {
  assert.is(await ensureFfmpeg(async () => 'ffmpeg', { say, env: {}, canInstall: true }), 'ffmpeg')
  assert.equal(said, [])
})

test('where nothing may be installed, the search says why', async () => {
  const failed = ensureFfmpeg(() => Promise.reject(NONE), { say, env: {}, canInstall: false })
  assert.is(await failed.catch((error: unknown) => error), NONE)
  assert.equal(said, [])
})

withShell('a missing one is installed from fresh lists, even when these cannot be fetched', async () => {
  await writeFile(
    join(folder, 'apt-get'),
    `#!/bin/sh\necho "$*" >> '${folder}/calls'\n[ "$1" = install ] || { echo 'E: no network' >&2; exit 100; }\n`,
    { mode: 0o755 },
  )
  const env = { PATH: `${folder}:${process.env.PATH}` }
  const calls = () => readFile(join(folder, 'calls'), 'utf8').catch(() => '')
  const locate = async () => {
    if (!(await calls()).includes('install')) throw NONE
    return 'ffmpeg'
  }
  assert.is(await ensureFfmpeg(locate, { say, env, canInstall: true }), 'ffmpeg')
  assert.is(await calls(), 'update -qq\ninstall -y -qq --no-install-recommends ffmpeg\n')
  assert.equal(said.slice(1), ['E: no network', 'ffmpeg is installed.'])
  assert.match(said[0] ?? '', /^No ffmpeg was found.*apt-get …$/)
})

test.run()
