import { readdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { readFfmpegVersion } from '@lantern-room/media'
import { ffmpegPath, mustRun } from '#support/media/media'
import { addressOf, startBothServices } from '#support/process/bothServices'
import { closingOfEachTest } from '#support/process/closing'
import { openPort } from '#support/process/openPort'
import { freePort, type ServerProcess, type Settings } from '#support/process/serverProcess'
import { folderOfEachTest } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'

const test = suite('npm start: both services in one program', { timeoutMs: 60_000 })

const { add } = closingOfEachTest(test)
const folder = folderOfEachTest(test, 'both')

test('both answer, and one signal ends both in order', async () => {
  const both = start()
  const media = await addressOf(both, 'motion photo API')
  const room = await addressOf(both, 'room service')
  assert.is((await fetch(`${media}/health`)).status, 200)
  assert.is((await fetch(`${room}/meta`)).status, 200)
  const { name, missing } = readFfmpegVersion((await mustRun(ffmpegPath, ['-version'])).toString())
  assert.ok(both.stdout().includes(`\nffmpeg ${name} (${ffmpegPath}`), both.stdout())
  assert.is(/^Warning: ffmpeg .* Install /m.test(both.stdout()), missing?.length !== 0)
  both.signal('SIGTERM')
  assert.is(await both.ended, 0)
  assert.equal((await readdir(join(folder(), 'room'))).sort(), ['host-secret', 'logs', 'machine-id'])
})

test('guests of a room are led to neither of the two, nor to the figures of one', async () => {
  const metricsPort = String(await freePort())
  const both = start({ MEDIA_METRICS_PORT: metricsPort })
  const media = await addressOf(both, 'motion photo API')
  const room = await addressOf(both, 'room service')
  for (const [port, what] of [
    [new URL(media).port, 'used by the motion photo API'],
    [metricsPort, 'used by the metrics'],
    [new URL(room).port, 'where this program takes orders'],
  ]) {
    const response = await fetch(`${room}/state/scanning?gamePort=${port}`)
    assert.is(response.status, 400)
    const { error } = (await response.json()) as { error: string }
    assert.match(error, new RegExp(`^gamePort: TCP port ${port} is ${what}, `))
  }
  assert.is(((await (await fetch(`${room}/state`)).json()) as { state: string }).state, 'waiting')
})

test('POST /shutdown is answered and ends both, without a signal', async () => {
  const both = start()
  await addressOf(both, 'motion photo API')
  const room = await addressOf(both, 'room service')
  const response = await fetch(`${room}/shutdown`, { method: 'POST' })
  assert.equal(await response.json(), { message: 'Shutting down.' })
  assert.is(await both.ended, 0)
  assert.match(both.stderr(), /^asked to stop: finishing what runs/m)
})

test('without an ffmpeg rooms are served all the same, and it is said what is missing', async () => {
  const both = start({ FFMPEG_PATH: '/nowhere/ffmpeg' })
  const room = await addressOf(both, 'room service')
  assert.is((await fetch(`${room}/meta`)).status, 200)
  assert.match(both.stderr(), /^The motion photo API does not start: .*FFMPEG_PATH.*\.$/m)
  assert.not.match(both.stdout(), /motion photo API/)
})

test('with its port taken the media API is missing, and rooms are not', async () => {
  const other = createServer()
  const both = start({ MEDIA_PORT: String(await openPort(other)) })
  await addressOf(both, 'room service')
  assert.match(both.stderr(), /^The motion photo API does not start: Port \d+ .* is in use/m)
  other.close()
})

test('wrong settings of both are told at one start, which is none', async () => {
  const both = start({ MEDIA_PORT: 'http', ROOM_NODES: 'gopher://x', ROOM_HEARTBEAT_MS: '1' })
  assert.is(await both.ended, 1)
  assert.is(both.stdout(), '')
  for (const name of ['MEDIA_PORT="http"', 'ROOM_NODES="gopher://x"', 'ROOM_HEARTBEAT_MS="1"']) {
    assert.ok(both.stderr().includes(`${name}: allowed is`), both.stderr())
  }
})

function start(settings: Settings = {}): ServerProcess {
  const server = startBothServices(folder(), settings)
  add(() => server.end('SIGKILL'))
  return server
}

test.run()
