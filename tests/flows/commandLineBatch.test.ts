import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { slowFfmpeg } from '#support/hosts/jobs'
import { film, mediaFolderOfSuite } from '#support/media/media'
import { readMotionPhoto } from '#support/media/readMotionPhoto'
import { runProgram, startProgram } from '#support/process/commandLine'
import { assert, suite } from '#support/runner/suite'

// motion-photo --out FOLDER VIDEO...

const test = suite('many videos on the command line', { timeoutMs: 60_000 })

const media = await mediaFolderOfSuite()
const videos: string[] = []

test.before(async () => {
  for (const name of ['a', 'b']) {
    videos.push(await media.make(`${name}.mp4`, film('160x120', 2)))
  }
})

test('each becomes a photo in the folder, one line each, and what is refused does not end the rest', async () => {
  const [a = '', b = ''] = videos
  const out = media.path('deep/photos')
  const text = await media.write('text.mp4', Buffer.from('no video'))
  const { exit, stdout, stderr } = await runProgram(['--out', out, a, text, b, media.path('none.mp4')])
  assert.is(exit, 1)
  assert.is(stdout, `${out}/a_MP.jpg\n${out}/b_MP.jpg\n`)
  const lines = stderr.trimEnd().split('\n')
  assert.is(lines.length, 9, stderr)
  assert.is(lines[0], '[1/4] a.mp4: a_MP.jpg')
  assert.match(lines[1] ?? '', /^\[2\/4\] text\.mp4: The file is not a video/)
  assert.is(lines[3], '[4/4] none.mp4: There is no such file.')
  assert.is(lines[4], 'refused:')
  assert.is(lines[6], '  none.mp4: There is no such file.')
  assert.equal(lines.slice(7), ['   2 made', '   2 refused'])
  assert.equal((await readdir(out)).sort(), ['a_MP.jpg', 'b_MP.jpg'])
  for (const name of await readdir(out)) assert.ok(readMotionPhoto(await readFile(`${out}/${name}`))?.clip)
})

test('a video that ends before --end gives a clip up to its end, and its line says so', async () => {
  const [a = ''] = videos
  const out = media.path('shorter')
  const { exit, stdout, stderr } = await runProgram([
    '--out',
    out,
    '--json',
    '--end',
    '3',
    '--cover',
    '2.5',
    a,
  ])
  assert.is(exit, 0, stderr)
  const { clip_seconds, cover_seconds } = JSON.parse(stdout)
  assert.equal([clip_seconds, cover_seconds], [2, 1.966667])
  const line =
    '[1/1] a.mp4: a_MP.jpg; --end is after the end of the video, and the clip ends there (2.000 s).\n'
  assert.is(stderr.slice(0, line.length), line)
  assert.is((await runProgram(['--out', out, '-f', '--start', '2', '--end', '3', a])).exit, 1)
})

test('the same command goes on where it was, and makes nothing twice', async () => {
  const out = media.path('again')
  const [a = '', b = ''] = videos
  assert.is((await runProgram(['--out', out, '-q', a])).exit, 0)
  const before = await stat(`${out}/a_MP.jpg`)
  const { exit, stdout, stderr } = await runProgram(['--out', out, '--json', a, b])
  assert.is(exit, 0, stderr)
  const [skipped, made] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.equal(skipped, { input: a, status: 'skipped', output: `${out}/a_MP.jpg`, text: 'is there already' })
  assert.equal([made.input, made.status, made.output], [b, 'made', `${out}/b_MP.jpg`])
  assert.is(
    stderr,
    '[1/2] a.mp4: is there already\n[2/2] b.mp4: b_MP.jpg\n   1 made\n   1 skipped: is there already\n',
  )
  assert.is((await stat(`${out}/a_MP.jpg`)).ino, before.ino)
  const idle = await runProgram(['--out', out, a, b], { env: { FFMPEG_PATH: media.path('no-ffmpeg') } })
  assert.is(idle.exit, 0, 'without ffmpeg, since there is nothing to do')
})

test('what lacks on this machine ends it at once', async () => {
  const out = media.path('lacking')
  const { exit, stderr } = await runProgram(['--out', out, ...videos], {
    env: { FFMPEG_PATH: media.path('no-ffmpeg') },
  })
  assert.is(exit, 3)
  assert.is(stderr.trimEnd().split('\n').length, 1, stderr)
  await writeFile(media.path('file'), '')
  const file = await runProgram(['--out', media.path('file'), ...videos])
  assert.match(file.stderr, /It is a file\. Name a folder\./)
  assert.is(file.exit, 1)
})

test('stopped, it leaves whole photos only', async () => {
  const out = media.path('stopped')
  await mkdir(out)
  const running = startProgram(['--out', out, ...videos], { env: { FFMPEG_PATH: await slowFfmpeg(media) } })
  await running.says('[1/2] a.mp4')
  running.child.kill('SIGTERM')
  const { exit, stderr } = await running.ended
  assert.is(exit, 143)
  assert.match(stderr, /Stopped\. The photos that are listed are whole/)
  assert.equal(await readdir(out), ['a_MP.jpg'])
})

test.run()
