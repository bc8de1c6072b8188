import { chmod, cp, link, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { slowFfmpeg } from '#support/hosts/jobs'
import { film, mediaFolderOfSuite } from '#support/media/media'
import { readMotionPhoto } from '#support/media/readMotionPhoto'
import { program, type RunOptions, runProgram, startProgram } from '#support/process/commandLine'
import { findProgram } from '#support/process/findProgram'
import { ownerBeforeUs } from '#support/process/ownerName'
import { assert, suite } from '#support/runner/suite'

// Batches that go on, after a kill, with files added, from a second memory card: each source is made once, and what is said of it is so.

const test = suite('batches that go on', { timeoutMs: 240_000 })

const onLinux = process.platform === 'linux'
const media = await mediaFolderOfSuite()
const clips: Uint8Array[] = []

test.before(async () => {
  for (const size of ['160x120', '176x144', '128x96', '96x96'])
    clips.push(await readFile(await media.make(`${size}.mp4`, film(size, 1))))
})

/** The superuser without what sets him above permissions. */
const WITHOUT_CAPABILITIES =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : []

let folder = ''
let number = 0
test.before.each(async () => {
  number += 1
  folder = media.path(`case${number}`)
  await mkdir(folder)
})

const path = (...names: readonly string[]) => join(folder, ...names)

/** @param bytes the number of a clip, or what is to be in the file */
async function put(name: string, bytes: number | Uint8Array | string): Promise<void> {
  await mkdir(join(path(name), '..'), { recursive: true })
  await writeFile(path(name), typeof bytes === 'number' ? (clips[bytes] ?? '') : bytes)
}

type Line = Readonly<Record<'input' | 'status' | 'output' | 'text' | 'reason', string | undefined>>

async function batch(args: readonly string[], options: RunOptions = {}) {
  const { exit, stdout, stderr } = await runProgram(['--json', ...args], { cwd: folder, ...options })
  const lines: Line[] = JSON.parse(`[${stdout.trim().replaceAll('\n', ',')}]`)
  return { exit, lines, stderr, statuses: lines.map(({ status }) => status).join(' ') }
}

/** What a photo is of: the frame size of its clip. */
async function widthOf(name: string): Promise<number | undefined> {
  return readMotionPhoto(await readFile(path(name)))?.frame?.width
}

test('two cards with the same names into one folder: both are made, and both are there already', async () => {
  await put('one/IMG_0001.mp4', 0)
  await put('two/IMG_0001.mp4', 1)
  await put('three/IMG_0001.MP4', 2)
  for (const card of ['one', 'two', 'three'])
    assert.is((await batch(['--out', 'OUT', card])).statuses, 'made')
  const names = ['IMG_0001-2_MP.jpg', 'IMG_0001-3_MP.jpg', 'IMG_0001_MP.jpg']
  assert.equal((await readdir(path('OUT'))).sort(), names)
  assert.equal(await Promise.all(names.map((name) => widthOf(`OUT/${name}`))), [176, 128, 160])
  await cp(path('OUT'), path('COPY'), { recursive: true })
  for (const out of ['OUT', 'COPY']) {
    const again = await batch(['--out', out, 'three', 'one', 'two'])
    assert.equal([again.exit, again.statuses], [0, 'skipped skipped skipped'], again.stderr)
    assert.equal(
      again.lines.map(({ output }) => basename(output ?? '')),
      ['IMG_0001-3_MP.jpg', 'IMG_0001_MP.jpg', 'IMG_0001-2_MP.jpg'],
    )
    assert.equal((await readdir(path(out))).sort(), names)
  }
  const both = await batch(['--out', 'BOTH', 'one', 'two'])
  assert.equal([both.statuses, (await readdir(path('BOTH'))).length], ['made made', 2])
  // What somebody else has put there is not of this source.
  await put('MINE/IMG_0001_MP.jpg', 'mine')
  assert.is((await batch(['--out', 'MINE', 'one'])).statuses, 'made')
  assert.is(await readFile(path('MINE/IMG_0001_MP.jpg'), 'utf8'), 'mine')
  // Force writes a photo of this source anew, and never that of another one.
  const forced = await batch(['--out', 'OUT', '-f', 'two/IMG_0001.mp4'])
  assert.is(basename(forced.lines[0]?.output ?? ''), 'IMG_0001-2_MP.jpg')
  assert.is(await widthOf('OUT/IMG_0001_MP.jpg'), 160)
})

test('numbers stay with their sources, whatever is added, also copies of one video', async () => {
  await put('F/b.mp4', 0)
  await put('F/d.mp4', 1)
  await put('F/e.mp4', 1)
  const args = ['--names', '{n}', '--out', 'OUT', 'F']
  assert.is((await batch(args)).statuses, 'made made made')
  await put('F/a.mp4', 2)
  await put('F/c.mp4', 1)
  const dry = await batch([...args, '--dry-run'])
  const { lines } = await batch(args)
  assert.equal(
    lines.map(({ input, status, output }) =>
      [basename(input ?? ''), status, basename(output ?? '')].join(' '),
    ),
    [
      'a.mp4 made 0004_MP.jpg',
      'b.mp4 skipped 0001_MP.jpg',
      'c.mp4 made 0005_MP.jpg',
      'd.mp4 skipped 0002_MP.jpg',
      'e.mp4 skipped 0003_MP.jpg',
    ],
  )
  assert.equal(
    dry.lines.map(({ output }) => output),
    lines.map(({ output }) => output),
  )
  assert.is((await batch(args)).statuses, 'skipped skipped skipped skipped skipped')
})

test('what is hidden is passed over, all kinds are found, and the rest is counted by ending', async () => {
  await put('F/.trash/gone.mp4', 0)
  await put('F/.x.mp4', 0)
  await put('F/a.mp4', 0)
  await put('F/notes.txt', 'a')
  await put('F/more.txt', 'a')
  await put('F/x.json', '{}')
  await put('F/README', '')
  const kinds = ['flv', 'gif', 'm2ts', 'mpg', 'mts', 'png', 'ts', 'wmv']
  for (const kind of kinds) await media.make(`case${number}/F/k_${kind}.${kind}`, kindOf(kind))
  await symlink(path('F'), path('F/around'))
  await symlink(path('F/self'), path('F/self'))
  const { exit, lines, stderr } = await batch(['-r', '--out', 'F/OUT', 'F'])
  assert.is(exit, 0, stderr)
  const statusOf = (kind: string) => (kind === 'png' ? 'skipped' : 'made')
  assert.equal(
    lines.map(({ input, status }) => `${basename(input ?? '')} ${status}`).sort(),
    ['a.mp4 made', ...kinds.map((kind) => `k_${kind}.${kind} ${statusOf(kind)}`)].sort(),
  )
  assert.match(
    stderr,
    /8 passed over: 2 links to folders or to nothing, or no files, 2 hidden, 2 \.txt, 1 without an ending, 1 \.json\n/,
  )
  const named = await batch(['--out', 'N', 'F/.x.mp4', 'F/.trash'])
  assert.is(named.statuses, 'made made')
})

function kindOf(kind: string): string[] {
  const codecs: Readonly<Record<string, readonly string[]>> = {
    gif: [],
    png: ['-frames:v', '1'],
    wmv: ['-c:v', 'wmv2'],
    mpg: ['-c:v', 'mpeg1video'],
    flv: ['-c:v', 'flv1'],
  }
  const input = ['-f', 'lavfi', '-i', 'testsrc2=size=96x96:rate=25:duration=1']
  return [...input, ...(codecs[kind] ?? ['-c:v', 'mpeg2video', '-f', 'mpegts'])]
}

test('a dry run says what the run does; refused files are listed at the end and in the report', async () => {
  await put('F/a.mp4', 0)
  await put('F/b.mp4', 1)
  await put('F/cut.mp4', (clips[0] ?? new Uint8Array()).slice(0, 9000))
  await put('F/empty.mp4', '')
  await put('F/fake.mov', 'no video')
  await put('F/fake.jpg', 'no photo')
  await cp('tests/fixtures/media/encrypted-cenc.mp4', path('F/secret.mp4'))
  await put('F/z.zip', Buffer.from('PK\x03\x04 something else'))
  assert.is((await batch(['--out', 'OUT', 'F/b.mp4'])).exit, 0)
  const args = ['--out', 'OUT', 'F', '--report', 'report.jsonl']
  const dry = await batch([...args, '--dry-run'])
  const report = async () =>
    (await readFile(path('report.jsonl'), 'utf8'))
      .trim()
      .split('\n')
      .map((line): Line => JSON.parse(line))
  const planned = await report()
  const run = await batch(args)
  assert.equal([dry.exit, run.exit], [1, 1])
  assert.is(dry.statuses, run.statuses.replaceAll('made', 'would-make'))
  assert.match(run.statuses, /^made skipped (refused ){5}skipped$/)
  assert.equal((await report()).map(({ status }) => status).join(' '), run.statuses)
  assert.equal(
    planned.map(({ reason, output }) => [reason, output]),
    (await report()).map(({ reason, output }) => [reason, output]),
  )
  const [, list = ''] = run.stderr.split('refused:\n')
  assert.match(list, /^ {2}cut\.mp4: The file cannot be read as a video.*\n {2}empty\.mp4: The file is empty/)
  assert.is(list.match(/^ {2}\w/gm)?.length, run.lines.filter(({ status }) => status === 'refused').length)
  assert.equal(await readdir(path('OUT')), ['a_MP.jpg', 'b_MP.jpg'])
  await put('mine.txt', 'mine')
  const mine = await batch(['--out', 'OUT', 'F', '--report', 'mine.txt'])
  assert.equal([mine.exit, await readFile(path('mine.txt'), 'utf8')], [1, 'mine'])
})

test.skipUnless(onLinux, 'there is no /proc')(
  'killed at any moment, it leaves whole photos only, and the same command finishes',
  async () => {
    for (const name of ['a', 'b', 'c', 'd']) await put(`F/${name}.mp4`, name.charCodeAt(0) - 97)
    const args = ['--out', 'OUT', 'F', '--quality', 'preview']
    const env = { FFMPEG_PATH: await slowFfmpeg(media) }
    for (const line of ['[1/4]', '[2/4]']) {
      const running = startProgram(args, { cwd: folder, env })
      await running.says(line)
      running.child.kill('SIGKILL')
      await running.ended
      for (const name of await readdir(path('OUT')))
        assert.ok(name.startsWith('.') || readMotionPhoto(await readFile(path('OUT', name)))?.clip, name)
    }
    // As if it had been killed between the second name of a photo and the end of the first, or at the name alone.
    await put(`OUT/.motion-photo.${ownerBeforeUs}.aaaa`, 'whole')
    await put('OUT/d_MP.jpg', '')
    assert.is((await batch(args)).exit, 0)
    const made = ['a_MP.jpg', 'b_MP.jpg', 'c_MP.jpg', 'd_MP.jpg']
    assert.equal((await readdir(path('OUT'))).sort(), made)
    await put(`OUT/.motion-photo.${ownerBeforeUs}.bbbb`, 'whole')
    assert.is((await batch(args)).statuses, 'skipped skipped skipped skipped')
    assert.equal((await readdir(path('OUT'))).sort(), made)
    for (const name of made) assert.ok((await stat(path('OUT', name))).size > 0)
  },
)

test.skipUnless(
  onLinux && process.getuid?.() === 0 && findProgram('unshare'),
  'a small disk can be made only by the superuser of Linux',
)('a full disk ends it with 3 and whole photos, and the same command goes on', async () => {
  for (const [at, name] of ['a', 'b', 'c'].entries()) await put(`F/${name}.mp4`, at)
  await mkdir(path('OUT'))
  const script = `mount -t tmpfs -o size=56k tmpfs OUT && "$@"; code=$?; for f in OUT/*; do wc -c "$f"; done; mount -o remount,size=4m OUT; "$@" || exit 9; exit $code`
  const { exit, stdout, stderr } = await runProgram(['--out', 'OUT', 'F'], {
    cwd: folder,
    command: ['unshare', '-m', 'sh', '-c', script, 'sh', process.execPath, program],
  })
  assert.is(exit, 3, stderr)
  assert.match(stderr, /No space is left there\./)
  assert.not.match(stdout, /^0 OUT/m)
  const photos = stdout.split('\n').filter((line) => line.startsWith('/'))
  assert.equal(photos.map((line) => basename(line)).sort(), ['a_MP.jpg', 'b_MP.jpg', 'c_MP.jpg'])
})

test.skipUnless(
  onLinux && process.getuid?.() === 0 && findProgram('unshare'),
  'a small disk can be made only by the superuser of Linux',
)(
  'the file at which a full disk ends a run is in the report, and a report that has no place is said',
  async () => {
    for (const [at, name] of ['a', 'b', 'c', 'd'].entries()) await put(`F/${name}.mp4`, at)
    await mkdir(path('OUT'))
    await mkdir(path('S'))
    const onSmallDisk = async (kib: number, args: readonly string[], command: readonly string[] = []) => {
      const script = `mount -t tmpfs -o size=${kib}k tmpfs OUT && ${command.join(' ')} "$@"; code=$?; ls -s OUT; exit $code`
      return runProgram(args, {
        cwd: folder,
        command: ['unshare', '-m', 'sh', '-c', script, 'sh', process.execPath, program],
      })
    }
    const run = await onSmallDisk(80, ['--out', 'OUT', 'F', '--report', 'r.jsonl'])
    assert.is(run.exit, 3, run.stderr)
    const lines = (await readFile(path('r.jsonl'), 'utf8')).trim().split('\n')
    const last: Line = JSON.parse(lines.at(-1) ?? '')
    assert.is(last.status, 'refused')
    assert.match(last.reason ?? '', /OUT\/\w_MP\.jpg: No space is left there\./)
    assert.is(run.stdout.match(/^\/.*OUT\/\w_MP\.jpg$/gm)?.length, lines.length - 1, run.stdout + run.stderr)

    const unreported = await onSmallDisk(
      56,
      ['--out', 'OUT', 'F', '--report', 'OUT/r.jsonl'],
      ['head -c 20k /dev/zero > OUT/filler;'],
    )
    assert.is(unreported.exit, 3, unreported.stderr)
    assert.match(unreported.stderr, /OUT\/\w_MP\.jpg: No space is left there\./)

    for (const name of ['a', 'b', 'c', 'd']) await cp(path('F', `${name}.mp4`), path('S', `${name}.mp4`))
    assert.is((await batch(['--out', 'P', 'S'])).exit, 0)
    const strip = await onSmallDisk(8, ['strip', 'P', '--out', 'OUT', '--report', 'r.jsonl', '-f'])
    assert.is(strip.exit, 3, strip.stderr)
    assert.match(strip.stderr, /^motion-photo: \S+OUT\/\w_MP\.jpg: No space is left there\.$/m)
    const stripped = (await readFile(path('r.jsonl'), 'utf8')).trim().split('\n')
    assert.ok(stripped.length < 4, 'it ends at once')
    assert.match(stripped.at(-1) ?? '', /"status":"refused"/)
  },
)

test.skipUnless(onLinux && findProgram('setpriv'), 'setpriv (util-linux) is not installed')(
  'a folder in OUT without the right to write costs only the files that go there',
  async () => {
    for (const [at, name] of ['a', 'locked/b', 'open/c'].entries()) await put(`F/${name}.mp4`, at)
    await mkdir(path('OUT/locked'), { recursive: true })
    await chmod(path('OUT/locked'), 0o555)
    const { exit, stdout, stderr } = await runProgram(['--out', 'OUT', '-r', 'F'], {
      cwd: folder,
      command: [...WITHOUT_CAPABILITIES, process.execPath, program],
    })
    assert.is(exit, 1, stderr)
    assert.equal(stdout.trim().split('\n'), [path('OUT/a_MP.jpg'), path('OUT/open/c_MP.jpg')])
    assert.match(stderr, /locked\/b\.mp4: \S+OUT\/locked: This user may not write there\./)
    await chmod(path('OUT'), 0o555)
    const all = await runProgram(['--out', 'OUT', 'F'], {
      cwd: folder,
      command: [...WITHOUT_CAPABILITIES, process.execPath, program],
    })
    assert.is(all.exit, 3, all.stderr)
    await chmod(path('OUT'), 0o755)
  },
)

test('a file of two names is made once, by the one that is no link, and the other one says so', async () => {
  await put('F/m.mp4', 0)
  await put('F/x.mp4', 1)
  await link(path('F/m.mp4'), path('F/n.mp4'))
  assert.is((await batch(['--out', 'OUT', 'F'])).statuses, 'made skipped made')
  await symlink(path('F/m.mp4'), path('F/a.mp4'))
  await symlink(path('F/x.mp4'), path('F/z.mp4'))
  const { exit, statuses, lines } = await batch(['--out', 'OUT', 'F'])
  assert.equal([exit, statuses], [0, 'skipped skipped skipped skipped skipped'])
  const same = lines.filter(({ text }) => text?.startsWith('the same file as '))
  assert.equal(
    same.map(({ input, text }) => [basename(input ?? ''), text]),
    [
      ['a.mp4', `the same file as ${path('F/m.mp4')}`],
      ['n.mp4', `the same file as ${path('F/m.mp4')}`],
      ['z.mp4', `the same file as ${path('F/x.mp4')}`],
    ],
  )
  assert.equal(await readdir(path('OUT')), ['m_MP.jpg', 'x_MP.jpg'])
})

test('a name that is too long costs no other file, and a dry run knows of it', async () => {
  await put(`IN/${'x'.repeat(250)}.mp4`, 0)
  await put('IN/y.mp4', 1)
  const args = ['--out', 'OUT', 'IN']
  const dry = await batch([...args, '--dry-run'])
  const run = await batch(args)
  assert.equal([dry.exit, dry.statuses], [1, 'refused would-make'])
  assert.equal([run.exit, run.statuses], [1, 'refused made'])
  assert.match(run.stderr, /too long/)
  assert.equal(await readdir(path('OUT')), ['y_MP.jpg'])
})

test('a source that vanishes costs no other file', async () => {
  await put('F/a.mp4', 0)
  await put('F/b.mp4', 1)
  await put('F/c.mp4', 2)
  const env = { FFMPEG_PATH: await slowFfmpeg(media) }
  const running = startProgram(['--out', 'OUT', 'F', '--quality', 'preview'], { cwd: folder, env })
  await running.says('[1/3]')
  await rename(path('F/c.mp4'), path('gone.mp4'))
  const { exit, stderr } = await running.ended
  assert.is(exit, 1)
  assert.match(stderr, /\[3\/3\] c\.mp4: There is no such file/)
  assert.equal(await readdir(path('OUT')), ['a_MP.jpg', 'b_MP.jpg'])
})

test.run()
