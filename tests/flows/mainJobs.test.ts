import { readFile, stat } from 'node:fs/promises'
import { startNodeHost } from '#support/hosts/hosts'
import { exiftool } from '#support/media/exiftool'
import { film, mediaFolderOfSuite } from '#support/media/media'
import { readMotionPhoto } from '#support/media/readMotionPhoto'
import { mustRunProgram } from '#support/process/commandLine'
import { assert, suite } from '#support/runner/suite'
import { bytesOf, convert, prepared } from '../contract/http/requests'

// The main jobs of the media service, once each and for real: part of `npm test`, where the other flows are not.

const test = suite('main jobs of the media service', { timeoutMs: 60_000 })

const media = await mediaFolderOfSuite()
let video = ''

test.before(async () => {
  video = await media.make('clip.mp4', film('320x180', 4, 'sound'))
})

test('on the local host a video becomes a preview and then a motion photo that exiftool accepts', async () => {
  const host = await startNodeHost()
  try {
    const session = await prepared(host, await readFile(video))
    assert.equal([session.width, session.height, session.has_audio, session.frames], [320, 180, true, 120])
    const preview = await host.send(new URL(session.preview_url).pathname)
    assert.is(preview.headers.get('content-type'), 'video/mp4')
    await preview.body?.cancel()

    const response = await convert(host, {
      session_id: session.session_id,
      range_start: '1',
      range_end: '3',
      cover_time: '2',
      speed: '1',
    })
    assert.is(response.status, 200, response.ok ? '' : await response.text())
    assert.is(response.headers.get('content-type'), 'image/jpeg')
    await judge(await media.write('served.jpg', await bytesOf(response)))
  } finally {
    await host.stop()
  }
})

test('the command line makes the same of a video without a server', async () => {
  const output = media.path('made.jpg')
  const order = ['--start', '1', '--end', '3', '--cover', '2', '--json', '-q', '-o', output]
  const { stdout } = await mustRunProgram([video, ...order])
  const result = JSON.parse(stdout)
  assert.is(result.bytes, (await stat(output)).size)
  assert.is(result.clip_seconds, 2)
  await judge(output)
})

/** A cover of one second into a clip of two. */
async function judge(path: string): Promise<void> {
  const read = readMotionPhoto(await readFile(path))
  assert.ok(read?.clip, 'the clip is there')
  assert.ok(read.samsung, 'and the Samsung trailer')
  const names = ['-ImageWidth', '-ImageHeight', '-MotionPhoto', '-MotionPhotoPresentationTimestampUs']
  const tags = await exiftool('-s3', '-n', ...names, path)
  assert.is(tags.toString(), '320\n180\n1\n1000000\n')
}

test.run()
