import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findProgram } from '#support/process/findProgram'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { aptGet, ensureFfmpeg } from '../../../local-runner/ensureFfmpeg'

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

const LOCK_ERROR =
  'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 4242 (unattended-upgr)'

withShell('a lock that stays is given up after the time limit, with the words of apt-get', async () => {
  const env = await fakeAptGet(`echo '${LOCK_ERROR}' >&2; exit 100`)
  assert.is(await aptGet(['update'], { say, env, lockTimeoutMs: 100, retryMs: 20 }), false)
  assert.equal(said, [
    'Process 4242 (unattended-upgr) is using apt. Waiting up to 0.1 s for it to finish …',
    LOCK_ERROR,
  ])
  const { length } = await calls()
  assert.ok(length >= 2 && length <= 7, String(length))
})

withShell('every other failure is reported at once', async () => {
  const env = await fakeAptGet('echo "E: Unable to locate package ffmpeg" >&2; exit 100')
  assert.is(await aptGet(['install', 'ffmpeg'], { say, env }), false)
  assert.equal([said, (await calls()).length], [['E: Unable to locate package ffmpeg'], 1])
})

withShell('a machine without apt-get is a failure too', async () => {
  assert.is(await aptGet(['update'], { say, env: { PATH: folder } }), false)
  assert.match(said.join(), /apt-get.*ENOENT/)
})

withShell('its messages are asked for in English, and it asks nothing', async () => {
  const env = await fakeAptGet('echo "$LC_ALL $DEBIAN_FRONTEND" >&2; exit 1')
  await aptGet([], { say, env: { ...env, LC_ALL: 'de_DE.UTF-8' } })
  assert.equal(said, ['C noninteractive'])
})

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

const isDebian = process.platform === 'linux' && findProgram('apt-get') && findProgram('perl')
const withApt = test.skipUnless(Boolean(isDebian), 'apt-get or perl is not installed')

withApt('the real one waits for a real lock on its lists until it is released', async () => {
  const env = await privateApt()
  const holder = await holdLock(join(folder, 'lists/lock'))
  const updated = aptGet(['update', '-qq'], { say, env, retryMs: 50 })
  while (said.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  holder.kill()
  assert.is(await updated, true)
  assert.equal(said, [`Process ${holder.pid} (perl) is using apt. Waiting up to 60 s for it to finish …`])
})

/** Puts a script in the place of apt-get; it notes its arguments in `calls`, one line each time. */
async function fakeAptGet(script: string): Promise<Record<string, string>> {
  const path = join(folder, 'apt-get')
  await writeFile(path, `#!/bin/sh\ncd '${folder}'\necho "$*" >> calls\n${script}\n`, { mode: 0o755 })
  return { PATH: `${folder}:${process.env.PATH}` }
}

async function calls(): Promise<readonly string[]> {
  return (await readFile(join(folder, 'calls'), 'utf8')).trimEnd().split('\n')
}

/** Settings by which apt-get works in the test's folder, and knows no source. */
async function privateApt(): Promise<Record<string, string>> {
  for (const name of ['lists/partial', 'cache/archives/partial', 'etc']) {
    await mkdir(join(folder, name), { recursive: true })
  }
  await writeFile(join(folder, 'status'), '')
  const settings = {
    'Dir::Etc': join(folder, 'etc'),
    'Dir::State::lists': join(folder, 'lists'),
    'Dir::State::status': join(folder, 'status'),
    'Dir::Cache': join(folder, 'cache'),
  }
  const lines = Object.entries(settings).map(([name, path]) => `${name} "${path}";\n`)
  await writeFile(join(folder, 'apt.conf'), lines.join(''))
  return { PATH: process.env.PATH ?? '', APT_CONFIG: join(folder, 'apt.conf') }
}

/** @returns a process that holds a lock as apt does, with fcntl, until it is killed */
async function holdLock(path: string): Promise<ChildProcess> {
  // struct flock of 64-bit Linux: type, whence, padding, start, length, process.
  const script = `use Fcntl; open(F, '>', $ARGV[0]) or die; my $lock = pack('s s x4 q q i x4', F_WRLCK, 0, 0, 0, 0);
    fcntl(F, F_SETLK, $lock) or die; $| = 1; print "held"; sleep 60`
  const holder = spawn('perl', ['-e', script, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(holder.stdout, 'data', { signal: AbortSignal.timeout(60_000) })
  return holder
}

test.run()
