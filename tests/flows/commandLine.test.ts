import { chmod, mkdir, readdir, readFile, rename, stat, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { version } from '@lantern-room/base'
import sharp from 'sharp'
import { slowFfmpeg } from '#support/hosts/jobs'
import { exiftool } from '#support/media/exiftool'
import { ffprobe, film, mediaFolderOfSuite, packetsOf, withFfprobe } from '#support/media/media'
import { readMotionPhoto } from '#support/media/readMotionPhoto'
import { mustRunProgram, runProgram } from '#support/process/commandLine'
import { projectRoot } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'

const test = suite('command line', { timeoutMs: 60_000 })

const media = await mediaFolderOfSuite()
let clip = ''

const moving = (size: string, seconds: number, rate = 30) => [
  ...['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=${rate}:duration=${seconds}`],
]
const encoded = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']

test.before(async () => {
  clip = await media.make('clip.mp4', film('320x180', 4, 'sound'))
})

/** A new folder with nothing in it but the clip, under a name. */
async function place(folder: string, name = 'clip.mp4'): Promise<string> {
  const path = join(media.path(folder), name)
  await mkdir(dirname(path), { recursive: true })
  await media.write(relative(media.folder, path), await readFile(clip))
  return path
}

test('a video becomes a motion photo beside it, and its path is all that standard output says', async () => {
  const input = await place('plain')
  const { stdout, stderr } = await mustRunProgram([input])
  const output = join(media.path('plain'), 'clip_MP.jpg')
  assert.is(stdout, `${output}\n`)
  assert.is(stderr, 'reading clip.mp4\npreparing\nconverting\nwriting clip_MP.jpg\n')
  assert.equal((await readdir(media.path('plain'))).sort(), ['clip.mp4', 'clip_MP.jpg'])
  assert.is((await stat(output)).mode & 0o777, 0o666 & ~process.umask(), 'with the rights of other files')
})

test.skipUnless(...withFfprobe)(
  'the range, cover and speed are as ordered, say exiftool, ffprobe and sharp',
  async () => {
    const output = media.path('ordered_MP.jpg')
    const order = [
      ...'--start 1 --end 0:04 --cover 2 --speed 1 --quality preview'.split(' '),
      ...['-o', output, '--json', '-q'],
    ]
    const { stdout, stderr } = await mustRunProgram([clip, ...order])
    assert.is(stderr, '')
    const result = JSON.parse(stdout)
    assert.is(stdout, `${JSON.stringify(result)}\n`, 'one line')
    assert.equal(result, {
      output,
      bytes: (await stat(output)).size,
      width: 320,
      height: 180,
      clip_seconds: 3,
      taken_at: result.taken_at,
      taken_at_from: 'file',
      cover_seconds: 2,
      presentation_timestamp_us: 1_000_000,
      clip_quality: 'preview',
      time_zone_from: 'machine',
    })
    assert.match(result.taken_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/)
    const tags = await exiftool('-s3', '-n', '-MotionPhoto', '-MotionPhotoPresentationTimestampUs', output)
    assert.is(tags.toString(), '1\n1000000\n')
    const video = await exiftool('-b', '-EmbeddedVideoFile', output)
    const read = readMotionPhoto(await readFile(output))
    if (!read?.clip) throw new Error('there is no clip')
    const { offset, length } = read.clip
    equalBytes(video, (await readFile(output)).subarray(offset, offset + length))
    const path = await media.write('embedded.mp4', video)
    assert.is((await packetsOf(path)).length, 90)
    const { streams } = await ffprobe(path)
    assert.equal(
      streams.map((stream) => stream.codec_name),
      ['h264', 'aac'],
    )
    const { width, height, format } = await sharp(output, { failOn: 'warning' }).metadata()
    assert.equal({ width, height, format }, { width: 320, height: 180, format: 'jpeg' })
  },
)

test.skipUnless(...withFfprobe)('speed, mute and profile are carried out', async () => {
  const output = media.path('fast.jpg')
  const order = ['--start=1', '--end=3', '--speed=2', '--mute', '--profile=google', '--json', '-qo', output]
  const { stdout } = await mustRunProgram([...order, clip])
  assert.is(JSON.parse(stdout).clip_seconds, 1)
  assert.is(JSON.parse(stdout).presentation_timestamp_us, 500_000)
  const path = await media.write('fast.mp4', await exiftool('-b', '-MotionPhotoVideo', output))
  assert.is(JSON.parse(stdout).clip_quality, 'source')
  const shown = (await packetsOf(path)).filter(({ pts }) => pts >= 0)
  assert.is(shown.length, 60)
  assert.is((await ffprobe(path)).streams.length, 1)
  const file = await readFile(output)
  const read = readMotionPhoto(file)
  assert.is(read?.samsung, undefined)
  assert.is((read?.clip?.offset ?? 0) + (read?.clip?.length ?? 0), file.length)
})

test('a video that phones do not decode is not copied, and the program says so when asked to', async () => {
  const input = join(projectRoot, 'tests/fixtures/media/h264-high10.mp4')
  const order = [input, '--json', '-qfo', media.path('ten.jpg')]
  const { stdout, stderr } = await mustRunProgram(order)
  const { clip_quality, clip_quality_reason } = JSON.parse(stdout)
  assert.equal([clip_quality, clip_quality_reason, stderr], ['preview', 'codec', ''])
  const asked = await mustRunProgram([...order, '--quality', 'source'])
  assert.match(asked.stderr, /^motion-photo: The clip has the preview's pictures: .*8 bit, 4:2:0/)
})

test('an animated image and a video of one picture a second become motion photos, too', async () => {
  const gif = await media.make('wave.gif', moving('64x48', 2, 10))
  const slow = await media.make('slow.mp4', [...moving('64x48', 8, 1), ...encoded])
  for (const [input, order, seconds] of [
    [gif, [], 2],
    [gif, ['--end', '1.5'], 1.5],
    [slow, ['--start', '2', '--end', '5.5'], 3.5],
    [slow, ['--start', '6'], 2],
  ] as const) {
    const { stdout } = await mustRunProgram([input, ...order, '-f', '--json'])
    assert.is(JSON.parse(stdout).clip_seconds, seconds)
  }
})

const names = [
  '--start=1.mp4',
  'concat:a|b.mp4',
  `100%d%% Ünï ☃ 写真 'quoted"  $HOME \`x\` [0-9]*? back\\slash.mp4`,
  '.hidden',
  '名'.repeat(78),
]
test.skipUnless(process.platform !== 'win32', 'Windows forbids these names')(
  'a file may have any name',
  async () => {
    for (const name of names) {
      const input = await place('names', name)
      const { exit, stdout, stderr } = await runProgram(['--end', '0.2', '--', name], {
        cwd: media.path('names'),
      })
      const stem = name.replace(/(?!^)\.mp4$/, '')
      assert.is(exit, 0, `${name}: ${stderr}`)
      assert.is(stdout, `${join(media.path('names'), `${stem}_MP.jpg`)}\n`)
      assert.is((await exiftool('-s3', '-n', '-MotionPhoto', stdout.trimEnd())).toString(), '1\n', name)
      await rename(input, `${input}.done`).catch(() => undefined)
    }
  },
)

test.skipUnless(process.platform !== 'win32', 'Windows forbids these names')(
  'control characters of a name are never sent to the screen',
  async () => {
    const name = 'one\ntwo\x1b[2J\x07.mp4'
    await place('control', name)
    const cwd = media.path('control')
    const done = await runProgram([name, '--end', '0.2'], { cwd })
    assert.is(done.exit, 0)
    assert.is(done.stdout, `${join(cwd, 'one\ntwo\x1b[2J\x07_MP.jpg')}\n`, 'a script gets the name as it is')
    assert.match(done.stderr, /^reading one\?two\?\[2J\?\.mp4\n/)
    assert.not.match(done.stderr, /[\x00-\x09\x0b-\x1f]/)
    const again = await runProgram([name, '-q'], { cwd })
    assert.match(
      again.stderr,
      /^motion-photo: [^\x00-\x1f]*one\?two\?\[2J\?_MP\.jpg: It exists already[^\n]*\n$/,
    )
  },
)

test('the input is only read: it may be read-only, and stays as it is', async () => {
  const input = await place('locked')
  await chmod(input, 0o444)
  const before = await stat(input, { bigint: true })
  assert.is((await runProgram([input, '--end', '0.5'])).exit, 0)
  const after = await stat(input, { bigint: true })
  assert.equal(
    [after.ino, after.mtimeNs, after.ctimeNs, after.mode],
    [before.ino, before.mtimeNs, before.ctimeNs, before.mode],
  )
  equalBytes(await readFile(input), await readFile(clip))
})

test('a file that is there is overwritten only when that is asked for', async () => {
  const input = await place('taken')
  const output = join(media.path('taken'), 'clip_MP.jpg')
  await media.write('taken/clip_MP.jpg', 'precious')
  const refused = await runProgram([input, '-q'])
  assert.is(refused.exit, 1)
  assert.is(
    refused.stderr,
    `motion-photo: ${output}: It exists already. Overwrite it with --force, or name another with --output.\n`,
  )
  assert.is(await readFile(output, 'utf8'), 'precious')
  assert.is((await runProgram([input, '--force', '--end', '1'])).exit, 0)
  assert.is((await exiftool('-s3', '-n', '-MotionPhoto', output)).toString(), '1\n')
})

test('the input is never the output, whatever it is called', async () => {
  const input = await place('same')
  await symlink(input, media.path('same/link.jpg'))
  for (const output of [
    input,
    media.path('same/link.jpg'),
    join(media.path('same'), '..', 'same', 'clip.mp4'),
  ]) {
    const { exit, stderr } = await runProgram([input, '-q', '--force', '-o', output])
    assert.is(exit, 1)
    const which = output === input ? 'itself' : input
    assert.is(stderr, `motion-photo: ${output}: It is the input ${which}, which is never overwritten.\n`)
  }
  equalBytes(await readFile(input), await readFile(clip))
})

test('only what is needed of a long video is read', async () => {
  const long = await media.make('long.mp4', [...moving('320x180', 120, 10), ...encoded])
  const env = { FFMPEG_PATH: await slowFfmpeg(media) }
  // At a player's speed all of it would take two minutes.
  const startedAt = performance.now()
  const { stdout } = await mustRunProgram([long, '--start', '1', '--end', '2', '--json'], { env })
  assert.is(JSON.parse(stdout).clip_seconds, 1)
  assert.ok(performance.now() - startedAt < 100_000)
})

test('standard input is read when the video is a dash', async () => {
  const output = media.path('piped.jpg')
  const { stdout, stderr } = await mustRunProgram(['-', '-o', output], { stdin: await readFile(clip) })
  assert.is(stdout, `${output}\n`)
  assert.match(stderr, /^reading standard input\n/)
  assert.is((await exiftool('-s3', '-n', '-MotionPhoto', output)).toString(), '1\n')
})

test('help and version go to standard output', async () => {
  const help = await runProgram(['--help'])
  assert.equal([help.exit, help.stderr], [0, ''])
  assert.match(help.stdout, /^motion-photo .*\n(.*\n)*Examples\n(.*\n)*Exit codes\n/)
  assert.not.match(help.stdout, /[\x00-\x09\x0b-\x1f]/)
  assert.ok(help.stdout.split('\n').every((line) => line.length <= 80))
  assert.equal(await runProgram(['-V']), { exit: 0, stdout: `${version}\n`, stderr: '' })
  // Even where nothing else would work.
  const env = { MEDIA_PORT: 'x', FFMPEG_PATH: '/nowhere' }
  assert.is((await runProgram(['-h'], { env })).exit, 0)
})

test.run()
