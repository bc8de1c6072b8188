import { readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type MediaFolder, openMediaFolder } from '#support/media/media'
import { readMotionPhoto } from '#support/media/readMotionPhoto'
import { findProgram } from '#support/process/findProgram'
import { freePort, projectRoot, type ServerProcess, startServer } from '#support/process/serverProcess'
import { type RoomProcess, startRoomProcess } from '#support/room/roomProcess'
import { startWorld, type TestWorld } from '#support/room/testWorld'
import { assert, suite } from '#support/runner/suite'

// The shell blocks of README.md, run from its text in the order of a reader. Only these words are replaced: `npm ci` is
// left out, since the packages are installed, and ports and the room code are those of this run.

const test = suite('the blocks of README.md', { timeoutMs: 90_000 })

/** First words of each block that a test below runs. */
const RUN = {
  start: 'npm ci && npm start',
  media: 'curl -sS --fail-with-body',
  commandLine: 'npm run -s motion-photo',
  host: "curl 'http://127.0.0.1:5062/state/scanning",
  guest: 'curl -G http://127.0.0.1:5062/state/guesting',
} as const

/** First words of a block → why it is not run. */
const NOT_RUN: Readonly<Record<string, string>> = {}

const blocks = shellBlocks(await readFile(join(projectRoot, 'README.md'), 'utf8'))
const withCurl = test.skipUnless(findProgram('bash') && findProgram('curl'), 'bash or curl is not installed')

let clone: MediaFolder
let world: TestWorld
let services: ServerProcess | undefined
let friend: RoomProcess | undefined
let mediaPort = 0
let roomPort = 0
let code = ''

test.before(async () => {
  clone = await openMediaFolder()
  for (const name of await readdir(projectRoot)) await symlink(join(projectRoot, name), clone.path(name))
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=320x240:rate=30:duration=2']
  const sound = ['-f', 'lavfi', '-i', 'sine=duration=2']
  await clone.make('video.mp4', [...picture, ...sound, '-pix_fmt', 'yuv420p'])
  world = await startWorld({ announced: true })
  mediaPort = await freePort()
  roomPort = await freePort()
})
test.after(async () => {
  services?.signal('SIGKILL')
  await friend?.close()
  await world.close()
  await clone.remove()
})

test('each block is run here, or a reason is given why not', () => {
  const known = [...Object.values(RUN), ...Object.keys(NOT_RUN)]
  const unknown = blocks.filter((block) => !known.some((words) => block.startsWith(words)))
  assert.equal(unknown, [])
  for (const words of known) assert.is(blocks.filter((block) => block.startsWith(words)).length, 1, words)
})

withCurl('the first block starts both services', async () => {
  services = run(RUN.start, [['npm ci && ', '']])
  await services.said(new RegExp(`^room service listening on http://127.0.0.1:${roomPort}$`, 'm'), 60_000)
  assert.match(services.stdout(), `motion photo API listening on http://127.0.0.1:${mediaPort}`)
})

withCurl('a video becomes a motion photo over HTTP', async () => {
  const judge: Edit[] = findProgram('exiftool') ? [] : [['exiftool -MotionPhoto', 'true']]
  const shell = run(RUN.media, [[':8000', `:${mediaPort}`], ...judge])
  assert.is(await shell.ended, 0, shell.stderr())
  assert.ok(readMotionPhoto(await readFile(clone.path('photo_MP.jpg')))?.clip)
  if (judge.length === 0) assert.match(shell.stdout(), /^Motion Photo\s+: 1$.*Timestamp Us\s*: 500000$/ms)
})

withCurl('a video becomes a motion photo without a server', async () => {
  const shell = run(RUN.commandLine)
  assert.is(await shell.ended, 0, shell.stderr())
  assert.is(shell.stdout(), `${clone.path('video_MP.jpg')}\n`)
  assert.ok(readMotionPhoto(await readFile(clone.path('video_MP.jpg')))?.clip)
})

withCurl("the answer to the host's request has the room code", async () => {
  const shell = run(RUN.host, [[':5062', `:${roomPort}`]])
  assert.is(await shell.ended, 0, shell.stderr())
  code = String(JSON.parse(shell.stdout()).room)
  assert.match(code, /^U(\/|-)[0-9A-Z]{4}(-[0-9A-Z]{4}){3}$/)
})

withCurl('a friend joins by the code and reaches the world', async () => {
  friend = await startRoomProcess()
  const shell = run(RUN.guest, [
    ['http://127.0.0.1:5062', friend.url],
    ['U/JHAF-TATB-06MJ-5BGF', code],
  ])
  assert.is(await shell.ended, 0, shell.stderr())
  assert.match(shell.stdout(), `"roomCode":"${code}"`)
  await friend.until('Guest_Running')
  const { body } = await friend.ask('/state')
  const port = Number(String(body.url).split(':')[1] ?? 25_565)
  assert.is(await world.echoThrough(port, 'hello'), 'hello')
})

withCurl('both services end when one is asked to', async () => {
  const response = await fetch(`http://127.0.0.1:${roomPort}/shutdown`, { method: 'POST' })
  assert.is(response.status, 200)
  assert.is(await services?.ended, 0)
})

type Edit = readonly [from: string, to: string]

/** Runs the block that begins with these words in a folder with the project's files and `video.mp4`. */
function run(words: string, edits: readonly Edit[] = []): ServerProcess {
  const block = blocks.find((text) => text.startsWith(words)) ?? ''
  for (const [from] of edits) assert.ok(block.includes(from), `README.md does not say ${from} any more`)
  const edited = edits.reduce((text, [from, to]) => text.replaceAll(from, to), block)
  return startServer(
    ['-euo', 'pipefail', '-c', `cd "$CLONE"\nunset INIT_CWD\n${edited}`],
    {
      CLONE: clone.folder,
      DATA_DIR: clone.path('data'),
      MEDIA_PORT: String(mediaPort),
      ROOM_PORT: String(roomPort),
      ROOM_LAN_INTERFACES: '127.0.0.1',
      ROOM_NODES: '',
      ROOM_STUN: '',
      npm_config_update_notifier: 'false',
    },
    'bash',
  )
}

/** The text of each fenced block of kind `sh`. */
function shellBlocks(markdown: string): string[] {
  return [...markdown.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text)
}

test.run()
