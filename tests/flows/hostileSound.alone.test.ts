import { readFile } from 'node:fs/promises'
import { inspect, readNow } from '@lantern-room/formats'
import { type ProcessHost, startNodeHost } from '#support/hosts/hosts'
import { megabytes, peakMemory } from '#support/media/bigFile'
import { withAbsurdSound } from '#support/media/hostileSound'
import { film, mediaFolderOfSuite } from '#support/media/media'
import { runProgram } from '#support/process/commandLine'
import { assert, suite } from '#support/runner/suite'
import { formOf, post } from '../contract/http/requests'

// Sound whose numbers ask for gigabytes, before programs with a small heap: it is encoded anew, left out or refused.

const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=128' }
const MOST_MEMORY = 320 * 1024 * 1024
/** A photo of them is a picture, the pictures of the range, and sound of some seconds. */
const MOST_BYTES = 4_000_000

const hostile = suite('sound with absurd numbers', { timeoutMs: 400_000 })
const test = hostile.skipUnless(process.platform === 'linux', 'it looks into /proc')
const media = await mediaFolderOfSuite()
let host: ProcessHost
let still = ''
let files: ReadonlyMap<string, Uint8Array>

hostile.before(async () => {
  host = await startNodeHost(SMALL_HEAP)
  const video = await media.make('video.mp4', [...film('160x120', 31, 'sound'), '-g', '30'])
  still = await media.make('still.jpg', ['-i', video, '-frames:v', '1'])
  files = withAbsurdSound(new Uint8Array(await readFile(video)))
})
hostile.after(() => host.stop())

/** Fails unless it is a photo of a usual size, or a refusal that blames the file. */
async function checkAnswer(name: string, response: Response): Promise<void> {
  const bytes = new Uint8Array(await response.arrayBuffer())
  const text = response.status === 200 ? '' : new TextDecoder().decode(bytes)
  assert.ok([200, 400, 422].includes(response.status), `${name}: ${response.status} ${text}`)
  if (response.status !== 200) return
  assert.ok(bytes.length < MOST_BYTES, `${name}: ${bytes.length} bytes`)
  assert.ok(readNow(inspect({ size: bytes.length }), bytes).clip, name)
}

const wishes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'half the speed': { range_end: '3', speed: '0.5' },
  'its own pictures under a still that is sent': { quality: 'source', range_end: '30' },
  'the usual pictures': { range_end: '3' },
}
for (const [what, fields] of Object.entries(wishes)) {
  test(`POST /motion-photo, ${what}: a photo of usual size, or a refusal, in little memory`, async () => {
    const cover = new Blob([await readFile(still)])
    for (const [name, bytes] of files) {
      const form = formOf(bytes, 'file', { range_start: '0', cover_time: '1', speed: '1', ...fields })
      if (fields.quality) form.append('cover_file', cover, 'still.jpg')
      await checkAnswer(name, await post(host, '/motion-photo', form))
    }
    const peak = await peakMemory(host)
    assert.ok(peak < MOST_MEMORY, `${megabytes(peak)} MB`)
    assert.is((await host.send('/health')).status, 200)
  })
}

test('the command line makes a photo of each that can be one, and says why of the others', async () => {
  const paths: string[] = []
  for (const [name, bytes] of files)
    paths.push(await media.write(`${name.replaceAll(/\W+/g, '-')}.mp4`, bytes))
  const out = media.path('photos')
  const wish = ['--quality', 'source', '--cover-file', still, '--end', '30', '--out', out]
  const { exit, stdout, stderr } = await runProgram([...wish, ...paths], { env: SMALL_HEAP })
  assert.ok(exit === 0 || exit === 1, stderr)
  assert.is(stderr.match(/^\[\d+\/\d+\] /gm)?.length, paths.length, stderr)
  for (const photo of stdout.trim().split('\n')) assert.ok((await readFile(photo)).length < MOST_BYTES, photo)
})

hostile.run()
