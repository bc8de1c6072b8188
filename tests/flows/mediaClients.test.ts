import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { film, mediaFolderOfSuite } from '#support/media/media'
import { readMotionPhoto } from '#support/media/readMotionPhoto'
import { addressOf, startBothServices } from '#support/process/bothServices'
import { findProgram } from '#support/process/findProgram'
import { QUICK_JAVA } from '#support/process/java'
import { projectRoot, type ServerProcess, startCommand } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'

// The lines and the example clients of docs/media-api.md, against the service.

const test = suite('clients of the motion photo API in the documentation', { timeoutMs: 90_000 })

const CLIENTS = join(projectRoot, 'docs/clients')
const EXAMPLES = [
  { program: 'python3', options: [], file: 'media_client.py' },
  { program: 'java', options: QUICK_JAVA, file: 'MediaClient.java' },
] as const

let server: ServerProcess
test.after(() => server.end())
const folder = await mediaFolderOfSuite()
let url: string

test.before(async () => {
  await folder.make('video.mp4', film('320x240', 2))
  server = startBothServices(folder.path('data'), { LOG_LEVEL: 'error' })
  url = await addressOf(server, 'motion photo API')
})

const isJpeg = async (name: string) => (await readFile(folder.path(name))).readUInt16BE(0) === 0xff_d8
const hasClip = async (name: string) => readMotionPhoto(await readFile(folder.path(name)))?.clip !== undefined

test.skipUnless(findProgram('bash') && findProgram('curl'), 'bash or curl is not installed')(
  'the first lines of docs/media-api.md are a whole session',
  async () => {
    const page = await readFile(join(projectRoot, 'docs/media-api.md'), 'utf8')
    const [, block = ''] = /^```sh\n(.*?)^```$/ms.exec(page) ?? []
    assert.match(block, /\/prepare[\s\S]*\/thumbnail[\s\S]*\/convert[\s\S]*\/inspect[\s\S]*\/cleanup/)
    const script = `cd "$0"\n${block.replaceAll('http://127.0.0.1:8000', url)}`
    const shell = startCommand(['bash', '-euo', 'pipefail', '-c', script, folder.folder])
    assert.is(await shell.ended, 0, shell.stderr())
    assert.match(shell.stdout(), /"gallery":"google","recognised":"yes".*session and its files are removed/s)
    assert.ok(await isJpeg('frame.jpg'))
    assert.ok(await hasClip('photo_MP.jpg'))
    const { session_id } = JSON.parse(await readFile(folder.path('session.json'), 'utf8'))
    assert.is((await fetch(`${url}/sessions/${session_id}`)).status, 404)
  },
)

for (const { program, options, file } of EXAMPLES)
  test.skipUnless(findProgram(program), `${program} is not installed`)(
    `${file} makes a photo and a thumbnail, and tells why not`,
    async () => {
      const photo = `${file}.jpg`
      const run = (video: string, end: string) =>
        startCommand([program, ...options, join(CLIENTS, file), url, video, '0.2', end, folder.path(photo)])
      const made = run(folder.path('video.mp4'), '1.7')
      assert.is(await made.ended, 0, made.stderr())
      assert.match(made.stdout(), /^made .+\.jpg for .*\bgoogle\b.*\bsamsung\b/)
      assert.ok(await hasClip(photo))
      assert.ok(await isJpeg(`${photo}.thumbnail.jpg`))
      const late = run(folder.path('video.mp4'), '9')
      assert.is(await late.ended, 2, late.stderr())
      assert.match(late.stdout(), /^refused (invalid-request|unprocessable|out-of-range) .*range_end/)
      const noVideo = run(join(CLIENTS, file), '1')
      assert.is(await noVideo.ended, 2, noVideo.stderr())
      assert.match(noVideo.stdout(), /^refused \S+ .*not a video/)
    },
  )

test.run()
