import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { ensureFfmpeg } from '../../../local-runner/compose'

const test = suite('an ffmpeg by apt-get')

let folder: string
let said: string[]
const say = (line: string) => void said.push(line)

test.before.each(async () => {
  said = []
  folder = await makeTempFolder('apt')
})
test.after.each(() => removeFolders(folder))

const withShell = test.skipUnless(process.platform !== 'win32', 'the program in its place is a shell script')

const NONE = new Error('No ffmpeg was found')

test('one that is there is used, and nothing is said', async () => {
  assert.is(await ensureFfmpeg(async () => 'ffmpeg', { say, env: {}, canInstall: true }), 'ffmpeg')
  assert.equal(said, [])
})

withShell('a machine without apt-get is told so, and is without ffmpeg', async () => {
  const options = { say, env: { PATH: folder }, canInstall: true }
  assert.is(await ensureFfmpeg(() => Promise.reject(NONE), options).catch((error: unknown) => error), NONE)
  assert.match(said.join(), /apt-get.*ENOENT/)
})

test('where nothing may be installed, the search says why', async () => {
  const failed = ensureFfmpeg(() => Promise.reject(NONE), { say, env: {}, canInstall: false })
  assert.is(await failed.catch((error: unknown) => error), NONE)
  assert.equal(said, [])
})

withShell('a missing one is installed from fresh lists, even when these cannot be fetched', async () => {
  await writeFile(
    join(folder, 'apt-get'),
    `#!/bin/sh\nshift 2; echo "$DEBIAN_FRONTEND $*" >> '${folder}/calls'\n[ "$1" = install ] || { echo 'E: no network' >&2; exit 100; }\n`,
    { mode: 0o755 },
  )
  const env = { PATH: `${folder}:${process.env.PATH}` }
  const calls = () => readFile(join(folder, 'calls'), 'utf8').catch(() => '')
  const locate = async () => {
    if (!(await calls()).includes('install')) throw NONE
    return 'ffmpeg'
  }
  assert.is(await ensureFfmpeg(locate, { say, env, canInstall: true }), 'ffmpeg')
  assert.is(
    await calls(),
    ['noninteractive update -qq\n', 'noninteractive install -y -qq --no-install-recommends ffmpeg\n'].join(
      '',
    ),
  )
  assert.equal(said.slice(1), ['E: no network', 'ffmpeg is installed.'])
  assert.match(said[0] ?? '', /^No ffmpeg was found.*apt-get …$/)
})

test.run()
