import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { startNodeHost } from '#support/hosts/hosts'
import { mediaFolderOfSuite } from '#support/media/media'
import { openPort } from '#support/process/openPort'
import { projectRoot, type Settings, startServer } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'

// What keeps a server from starting is told in one clear sentence, and there is no server then.

const test = suite('a Node host that cannot start')
const media = await mediaFolderOfSuite()
const main = join(projectRoot, 'dist/local-runner/main.mjs')

test('a port in use', async () => {
  const other = createServer()
  const port = await openPort(other)
  const said = await failing({ MEDIA_PORT: String(port) })
  other.close()
  oneSentence(said)
  assert.match(said, new RegExp(`Port ${port} .* is in use`))
  assert.match(said, /MEDIA_PORT/)
})

test('an address that this machine does not have', async () => {
  const said = await failing({ MEDIA_HOST: '192.0.2.1' })
  oneSentence(said)
  assert.match(said, /192\.0\.2\.1/)
})

test('a data folder that cannot be written', async () => {
  const file = await media.write('a-file', 'x')
  for (const DATA_DIR of ['/proc/nothing/here', file]) {
    const said = await failing({ DATA_DIR })
    oneSentence(said)
    assert.ok(said.includes(DATA_DIR), said)
    assert.match(said, /cannot be written.*DATA_DIR/)
  }
})

test('an ffmpeg that is not where it should be, or is none', async () => {
  for (const FFMPEG_PATH of ['/nonexistent/ffmpeg', '/bin/false']) {
    const said = await failing({ FFMPEG_PATH })
    oneSentence(said)
    assert.match(said, /FFMPEG_PATH/)
  }
})

test('settings that are empty count as unset, and those of the edge are taken', async () => {
  const dataDir = media.path('edge')
  const host = await startNodeHost({
    DATA_DIR: dataDir,
    SESSION_TTL_SECONDS: '1',
    MAX_UPLOAD_BYTES: '1024',
    MAX_CONCURRENT_JOBS: '256',
    LOG_LEVEL: 'error',
    MEDIA_SERVICE_TOKEN: '',
    PUBLIC_BASE_URL: '',
    ALLOWED_ORIGINS: '*',
    TRUST_PROXY: '0',
  })
  assert.is((await host.send('/health')).status, 200)
  await host.stop()
  assert.is(host.server.stderr().trim().split('\n').length, 1, 'only the line about the signal')
})

test('a setting that no longer exists is told with what to use instead, and the service starts', async () => {
  const host = await startNodeHost({ DATA_DIR: media.path('removed'), PREPARE_PROCESSES: '4' })
  assert.is((await host.send('/health')).status, 200)
  await host.stop()
  assert.match(host.server.stderr(), /^PREPARE_PROCESSES no longer exists: one process makes a preview.*\.$/m)
})

test('a command that was typed wrong starts nothing, and ends with exit code 2', async () => {
  const { exit, stdout, stderr } = await ending(['mdeia'])
  assert.is(exit, 2, stderr)
  assert.is(stdout, '')
  assert.match(stderr, /^There is no service "mdeia"[^\n]+ See lantern-room --help\.\n$/)
})

test('its help is shown, and nothing is started', async () => {
  const { exit, stdout, stderr } = await ending(['--help'])
  assert.is(exit, 0, stderr)
  assert.match(stdout, /^lantern-room \d+\.\d+\.\d+: [\s\S]* lantern-room media /)
  assert.is(stderr, '')
})

/** Runs the program that starts the services until it ends by itself. */
async function ending(args: readonly string[]) {
  const server = startServer([main, ...args], {
    MEDIA_PORT: '0',
    ROOM_PORT: '0',
    DATA_DIR: media.path('none'),
  })
  const exit = await server.ended
  assert.not.ok(existsSync(media.path('none')), 'a data folder was made')
  return { exit, stdout: server.stdout(), stderr: server.stderr() }
}

/** Starts a server that must not come up. @returns what it says on standard error */
async function failing(settings: Settings): Promise<string> {
  const server = startServer([main, 'media'], { MEDIA_PORT: '0', DATA_DIR: media.path('data'), ...settings })
  const exit = await server.ended
  assert.is(exit, 1, `${exit}: ${server.stdout()} ${server.stderr()}`)
  assert.is(server.stdout(), '')
  assert.not.match(server.stderr(), /^\s+at |node:internal|\.mjs|Error:/m)
  return server.stderr()
}

function oneSentence(said: string): void {
  assert.match(said, /^[A-Z][^\n]{20,400}\.\n$/)
}

test.run()
