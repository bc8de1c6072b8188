import { appendFile, copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { readMotionPhoto } from '#core/formats/motionPhoto/read'
import { film, mediaFolderOf } from '#support/media/media'
import { runProgram, startProgram } from '#support/process/commandLine'
import { assert, suite } from '#support/runner/suite'
import { eventually } from '#support/values/until'

// motion-photo --watch FOLDER --out FOLDER

const test = suite('a watched folder on the command line', { timeoutMs: 120_000 })

const media = await mediaFolderOf(test)
let video = ''

test.before(async () => {
  video = await media.make('video.mp4', film('160x120', 2))
})

async function folder(name: string): Promise<string> {
  await mkdir(media.path(name))
  return media.path(name)
}

async function photoIn(path: string, name: string): Promise<Uint8Array> {
  // An empty file holds its name until it is written whole.
  return eventually(
    () => readFile(`${path}/${name}`).catch(() => Buffer.alloc(0)),
    (bytes) => bytes.length > 0,
  )
}

test('videos that come become photos, half-written ones when they are whole, and Ctrl-C ends it', async () => {
  const [inbox, out] = [await folder('inbox'), media.path('photos')]
  await copyFile(video, `${inbox}/first.mp4`)
  await writeFile(`${inbox}/notes.txt`, 'no video')
  const running = startProgram(['--watch', inbox, '--out', out])
  assert.ok(readMotionPhoto(await photoIn(out, 'first_MP.jpg'))?.clip)

  const bytes = await readFile(video)
  const pieces = 8
  const size = Math.ceil(bytes.length / pieces)
  await writeFile(`${inbox}/slow.mp4`, '')
  for (let i = 0; i < pieces; i += 1) {
    await appendFile(`${inbox}/slow.mp4`, bytes.subarray(i * size, (i + 1) * size))
    await sleep(100)
  }
  assert.ok(readMotionPhoto(await photoIn(out, 'slow_MP.jpg'))?.clip)

  await writeFile(`${inbox}/text.mp4`, 'no video at all')
  await running.says('text.mp4: The file is not a video')
  running.child.kill('SIGINT')
  const { exit, stdout, stderr } = await running.ended
  assert.is(exit, 0, stderr)
  assert.is(stdout, `${out}/first_MP.jpg\n${out}/slow_MP.jpg\n`)
  assert.match(stderr, /Stopped\. The photos that are listed are whole\.\n$/)
  assert.equal((await readdir(out)).sort(), ['first_MP.jpg', 'slow_MP.jpg'])
})

test('the same command goes on where it was', async () => {
  const [inbox, out] = [media.path('inbox'), media.path('photos')]
  await copyFile(video, `${inbox}/third.mp4`)
  const running = startProgram(['--watch', inbox, '--out', out])
  await photoIn(out, 'third_MP.jpg')
  await running.says('third.mp4: third_MP.jpg')
  running.child.kill('SIGTERM')
  const { exit, stdout, stderr } = await running.ended
  assert.is(exit, 0, stderr)
  assert.is(stdout, `${out}/third_MP.jpg\n`)
  assert.match(stderr, /first\.mp4: is there already/)
})

test('what is typed wrong is said at once', async () => {
  for (const [args, sentence] of [
    [['--watch', media.path('inbox')], /--watch needs --out FOLDER/],
    [['--watch', media.path('inbox'), '--out', 'x', 'a.mp4'], /Name no videos with --watch/],
    [['--watch', media.path('inbox'), '--out', 'x', '--speed', 'fast'], /--speed/],
  ] as const) {
    const { exit, stderr } = await runProgram(args)
    assert.equal([exit, sentence.test(stderr)], [2, true], stderr)
  }
  const { exit, stderr } = await runProgram(['--watch', media.path('nowhere'), '--out', media.path('x')])
  assert.equal([exit, /There is no such folder/.test(stderr)], [1, true], stderr)
})
