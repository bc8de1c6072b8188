import { mkdir, readdir, readFile } from 'node:fs/promises'
import { film, mediaFolderOfSuite } from '#support/media/media'
import { program, type RunOptions, runProgram, startProgram } from '#support/process/commandLine'
import { findProgram } from '#support/process/findProgram'
import { assert, suite } from '#support/runner/suite'

const test = suite('refusals of the command line', { timeoutMs: 60_000 })

const isRoot = process.getuid?.() === 0
const onLinux = process.platform === 'linux'

const media = await mediaFolderOfSuite()
let clip = ''
let temporary = ''

test.before(async () => {
  clip = await media.make('clip.mp4', film('320x180', 4))
  temporary = media.path('tmp')
  await mkdir(temporary)
  await mkdir(media.path('out'))
})

// Whatever went wrong: nothing is left of it.
test.after.each(async () => {
  assert.equal(await readdir(temporary), [])
  assert.equal(await readdir(media.path('out')), [])
})

/** Runs it where it must fail, and expects one line. @returns that line without the program's name */
async function refused(exit: number, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const env = { TMPDIR: temporary, ...options.env }
  const ended = await runProgram(['-q', '-o', media.path('out/x.jpg'), ...args], { ...options, env })
  assert.is(ended.exit, exit, ended.stderr)
  assert.is(ended.stdout, '')
  assert.match(ended.stderr, /^motion-photo: [^\x00-\x1f]+\n$/, 'one line')
  return ended.stderr.slice('motion-photo: '.length, -1)
}

test('a file that cannot become a motion photo: exit code 1 and the words of the API', async () => {
  const { path } = media
  await media.make('sound.m4a', ['-f', 'lavfi', '-i', 'sine=duration=1', '-c:a', 'aac'])
  await media.write('playlist.mp4', '#EXTM3U\n#EXTINF:1,\n/etc/passwd\n')
  await media.write('empty.mp4', '')
  await media.write('cut.mp4', (await readFile(clip)).subarray(0, 10_000))
  await mkdir(path('folder.mp4'))
  const sentences: readonly [string, RegExp][] = [
    ['none.mp4', /^There is no such file\.$/],
    ['folder.mp4', /^It is a folder\. Name a file in it, or say with --out/],
    ['empty.mp4', /^The file is empty\. /],
    ['playlist.mp4', /^The file is not a video or an animated image\. /],
    ['sound.m4a', /^The file is sound without a picture\. /],
    ['cut.mp4', /^The file cannot be read as a video: it is damaged, incomplete or of an unknown kind\. /],
  ]
  for (const [name, words] of sentences) {
    const sentence = await refused(1, [path(name)])
    assert.is(sentence.slice(0, path(name).length + 2), `${path(name)}: `)
    assert.match(sentence.slice(path(name).length + 2), words)
  }
})

test.skipUnless(onLinux, 'there is no /dev/null')(
  'what is no plain file is refused and not waited for',
  async () => {
    assert.is(
      await refused(1, ['/dev/zero']),
      '/dev/zero: It is not a plain file. Name a video, or pipe it to the standard input.',
    )
  },
)

test.skipUnless(findProgram('mkfifo') !== undefined, 'mkfifo is not installed')(
  'a pipe with a name is refused and not waited for',
  async () => {
    const pipe = media.path('pipe.mp4')
    assert.is((await runProgram([pipe], { command: ['mkfifo'] })).exit, 0)
    assert.match(await refused(1, [pipe]), /It is not a plain file\./)
  },
)

test('a range outside of the video: exit code 1, the option as typed, the true length', async () => {
  assert.is(
    await refused(1, [clip, '--end', '9']),
    '--end must not lie after the end of the video (4.000 s).',
  )
  assert.is(
    await refused(1, [clip, '--start', '1', '--end', '2', '--cover', '9']),
    '--cover must be from 0 to the end of the video (4.000 s).',
  )
  assert.is(
    await refused(1, [clip, '--start', '4']),
    `${clip}: --start must lie before the end of the video (4.000 s).`,
  )
})

test('a mistyped command: exit code 2, before anything is read', async () => {
  const mistakes: readonly [string[], RegExp][] = [
    [['a', '--nonsense'], /^There is no option --nonsense\./],
    [['a', '--end', '61'], /^The clip would last 61\.0 s; at most 60 s are allowed\./],
  ]
  for (const [args, words] of mistakes) {
    const sentence = await refused(2, args)
    assert.match(sentence, words)
    assert.match(sentence, / See motion-photo --help\.$/)
  }
})

test('the limits of the service hold, and can be raised', async () => {
  assert.match(await refused(2, [clip, '--end', '3'], { env: { MAX_CLIP_SECONDS: '2' } }), /at most 2 s/)
  assert.match(
    await refused(2, [clip, '--end', '3'], { env: { MAX_INPUT_SECONDS: '2' } }),
    /at most 2 s after --start/,
  )
})

test('no ffmpeg: exit code 3', async () => {
  assert.match(
    await refused(3, [clip], { env: { FFMPEG_PATH: '/nowhere/ffmpeg' } }),
    /^FFMPEG_PATH names a file that does not exist\. /,
  )
  const broken = await media.write('broken-ffmpeg', '#!/bin/sh\nexit 1\n')
  assert.match(
    await refused(3, [clip], { env: { FFMPEG_PATH: broken } }),
    /^FFMPEG_PATH names a program that does not run as ffmpeg\. /,
  )
})

test('wrong settings: exit code 3, all of them in one line', async () => {
  const sentence = await refused(3, [clip], { env: { MAX_CLIP_SECONDS: 'x', PREVIEW_SIZE: 'tiny' } })
  assert.match(sentence, /^A setting is wrong: MAX_CLIP_SECONDS="x": .* PREVIEW_SIZE="tiny": /)
})

test('an output that cannot be written: exit code 3, or 1 where its name is at fault, before any work', async () => {
  const inNowhere = media.path('nowhere/x.jpg')
  assert.is(await refused(3, [clip, '-o', inNowhere]), `${inNowhere}: Its folder does not exist.`)
  const belowFile = `${clip}/x.jpg`
  assert.match(await refused(3, [clip, '-o', belowFile]), /: Its folder is not a folder\.$/)
  const long = media.path(`out/${'x'.repeat(300)}.jpg`)
  assert.is(await refused(1, [clip, '-o', long]), `${long}: The name is too long.`)
  assert.match(await refused(1, [clip, '-f', '-o', media.path('out')]), /: It is a folder\. Name a file\.$/)
})

test.skipUnless(onLinux, 'there is no /proc')('a folder that is read-only: exit code 3', async () => {
  const sentence = await refused(3, [clip, '-o', '/proc/x.jpg'])
  assert.match(sentence, /^\/proc\/x\.jpg: /)
})

const withSmallDisk = test.skipUnless(
  isRoot && onLinux && findProgram('unshare'),
  'a small disk can be made only by the superuser of Linux',
)
const onSmallDisk = (folder: string, kib: number) => ({
  command: [
    ...['unshare', '-m', 'sh', '-c', `mount -t tmpfs -o size=${kib}k tmpfs "${folder}" && exec "$@"`, 'sh'],
    ...[process.execPath, program],
  ],
})

withSmallDisk('a full temporary folder: exit code 3', async () => {
  assert.is(
    await refused(3, [clip, '--quality', 'preview'], onSmallDisk(temporary, 64)),
    'No space is left in the temporary folder. Free some, or set TMPDIR to another one.',
  )
})

withSmallDisk('a disk without room for the output: exit code 3', async () => {
  const output = media.path('out/x.jpg')
  assert.is(
    await refused(3, [clip], onSmallDisk(media.path('out'), 16)),
    `${output}: No space is left there.`,
  )
})

test('a temporary folder that is none: exit code 3', async () => {
  assert.is(
    await refused(3, [clip], { env: { TMPDIR: clip } }),
    'The temporary folder cannot be written. Set TMPDIR to another one.',
  )
})

test('standard input is refused as a file would be', async () => {
  const bytes = await readFile(clip)
  const text = new TextEncoder().encode('not a video at all')
  assert.match(await refused(1, ['-'], { stdin: text }), /^standard input: The file is not a video/)
  assert.match(
    await refused(1, ['-'], { stdin: bytes, env: { MAX_UPLOAD_BYTES: '5000' } }),
    /^standard input: The file is larger than 5000 bytes/,
  )
})

test('standard input that is no video is not read to its end', async () => {
  const running = startProgram(['-', '-q', '-o', media.path('out/x.jpg')], {
    env: { TMPDIR: temporary },
    stdin: 'open',
  })
  running.child.stdin.write('a line that is no video\n'.repeat(1000))
  const { exit, stderr } = await running.ended
  assert.is(exit, 1)
  assert.match(stderr, /not a video/)
})

test('with LOG_LEVEL=debug the cause is told as well', async () => {
  const cut = await media.write('cut.mp4', (await readFile(clip)).subarray(0, 10_000))
  const { exit, stderr } = await runProgram([cut, '-q', '-o', media.path('out/x.jpg')], {
    env: { LOG_LEVEL: 'debug', TMPDIR: temporary },
  })
  assert.is(exit, 1)
  assert.match(stderr, /moov atom not found/)
})

test.run()
