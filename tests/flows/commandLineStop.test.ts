import { randomUUID } from 'node:crypto'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { slowFfmpeg } from '#support/hosts/jobs'
import { film, mediaFolderOfSuite } from '#support/media/media'
import { mustRunProgram, program, type Running, startProgram } from '#support/process/commandLine'
import { findProgram } from '#support/process/findProgram'
import { killMarked, markedProcesses, markVariable } from '#support/process/markedProcesses'
import { assert, suite } from '#support/runner/suite'
import { until } from '#support/values/until'

const test = suite('stopping the command line, and what it shows', { timeoutMs: 60_000 })
const onLinux = process.platform === 'linux'
const withProc = test.skipUnless(onLinux, 'there is no /proc')

const media = await mediaFolderOfSuite()
let clip = ''
let ffmpegPath = ''
// Each test has its own.
let temporary = ''
let out = ''
let output = ''
/** Carried by every process of the test. */
let mark = ''

test.before(async () => {
  // Of a format whose pictures are not copied, so that a preview is made.
  clip = await media.make('clip.mkv', film('320x180', 30))
  ffmpegPath = await slowFfmpeg(media)
})
test.before.each(async () => {
  mark = randomUUID()
  temporary = media.path(`${mark}-tmp`)
  out = media.path(`${mark}-out`)
  output = join(out, 'x.jpg')
  await mkdir(temporary)
  await mkdir(out)
})
test.after.each(() => killMarked(mark, undefined))

function environment(extra: Record<string, string> = {}): Record<string, string> {
  const marks = [process.env[markVariable], mark].filter(Boolean).join(',')
  return { TMPDIR: temporary, FFMPEG_PATH: ffmpegPath, [markVariable]: marks, ...extra }
}

async function runsFfmpeg(): Promise<boolean> {
  return markedProcesses(mark).some(({ command }) => / -re -hide_banner -nostdin /.test(command))
}

/** The other folder that stands there is of ffmpeg's character sets. */
async function workFolders(): Promise<string[]> {
  return (await readdir(temporary)).filter((name) => name.startsWith('motion-photo.'))
}

/** Starts it on thirty seconds of video, so that it is busy for as long; resolves when its ffmpeg writes. */
async function startPreparing(): Promise<Running> {
  const running = startProgram([clip, '--end', '29', '-o', output], { env: environment() })
  await running.says('preparing')
  await until('ffmpeg writes the preview', async () => {
    const [folder] = await workFolders()
    return folder !== undefined && (await readdir(join(temporary, folder))).includes('preview.mp4')
  })
  assert.ok(!onLinux || (await runsFfmpeg()))
  return running
}

async function nothingIsLeft(): Promise<void> {
  assert.equal(await readdir(temporary), [])
  assert.equal(await readdir(out), [])
  await until('every process has ended', () => markedProcesses(mark).length === 0)
}

for (const [signal, exit] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)
  test(`${signal} while the video is prepared: exit code ${exit}, and nothing is left`, async () => {
    const running = await startPreparing()
    running.child.kill(signal)
    const { stdout, stderr, ...ended } = await running.ended
    assert.is(ended.exit, exit)
    assert.is(stdout, '')
    assert.is(stderr, 'reading clip.mkv\npreparing\nmotion-photo: Stopped. Nothing was written.\n')
    await nothingIsLeft()
  })

test('SIGINT while the clip is cut', async () => {
  const running = startProgram([clip, '--end', '3', '-o', output], { env: environment() })
  await running.says('converting')
  running.child.kill('SIGINT')
  assert.is((await running.ended).exit, 130)
  await nothingIsLeft()
})

test('SIGINT while standard input is waited for', async () => {
  const running = startProgram(['-', '-o', output], { env: environment(), stdin: 'open' })
  await running.says('reading')
  await until('the work folder is there', async () => (await workFolders()).length === 1)
  running.child.kill('SIGINT')
  assert.is((await running.ended).exit, 130)
  await nothingIsLeft()
})

test('impatient Ctrl-C, again and again, ends it all the same', async () => {
  const running = await startPreparing()
  for (let times = 0; times < 5; times++) running.child.kill('SIGINT')
  assert.is((await running.ended).exit, 130)
  await until('every process has ended', () => markedProcesses(mark).length === 0)
  // The second one does not wait for the first to tidy up; the next run does that.
  await nextRunTidiesUp()
})

withProc('what a killed run has left is removed by the next, and its ffmpeg does not run on', async () => {
  const running = await startPreparing()
  running.child.kill('SIGKILL')
  assert.is((await running.ended).exit, 'SIGKILL')
  await until('ffmpeg has ended', async () => !(await runsFfmpeg()))
  assert.is((await readdir(temporary)).length, 2)
  // A file half written beside its target, as if it had been killed a moment later.
  const [owner = ''] = await workFolders()
  await writeFile(join(out, `.${owner}`), 'half')
  await writeFile(join(out, '.motion-photo.mine'), 'no name of ours')
  await nextRunTidiesUp('.motion-photo.mine')
})

async function nextRunTidiesUp(...others: string[]): Promise<void> {
  // What others have in the same folder is none of its business.
  await writeFile(join(temporary, '1-1-00000000.somebody'), '')
  await writeFile(join(temporary, 'motion-photo.notes'), '')
  await mustRunProgram([clip, '--end', '0.2', '-fo', output], { env: environment() })
  const strangers = ['1-1-00000000.somebody', 'motion-photo.notes']
  assert.equal((await readdir(temporary)).sort(), strangers)
  assert.equal((await readdir(out)).sort(), [...others, 'x.jpg'])
}

// What it shows on a terminal. `script` gives it one, and stands in for whoever sits before it.

const onTerminal = test.skipUnless(findProgram('script') && onLinux, 'script (util-linux) is not installed')
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
const typed = (...args: string[]) => [process.execPath, program, ...args].map(quoted).join(' ')

function startOnTerminal(command: string, extra: Record<string, string> = {}, stdin?: 'open'): Running {
  const env = environment({ TERM: 'xterm', ...extra })
  return startProgram([], { env, command: ['script', '-qec', command, '/dev/null'], ...(stdin && { stdin }) })
}

const HIDDEN = '\x1b[?25l'
const SHOWN = '\x1b[?25h'

onTerminal('a bar grows in one line, is wiped away, and the cursor comes back', async () => {
  const { exit, stdout } = await startOnTerminal(typed(clip, '--end', '3', '-o', output)).ended
  assert.is(exit, 0)
  assert.is(stdout.slice(0, HIDDEN.length), HIDDEN)
  assert.is(stdout.slice(stdout.indexOf('\r\x1b[K\x1b')), `\r\x1b[K${SHOWN}${output}\r\n`)
  const drawn = stdout.split(/\r(?!\n)/)
  const percents = drawn.flatMap((line) => /^preparing +(\d+) % \[/.exec(line)?.[1] ?? []).map(Number)
  // More come, but a busy machine may draw several steps at once.
  assert.ok(percents.length >= 2, stdout)
  assert.ok(percents.every((percent, index) => percent > (percents[index - 1] ?? -1) && percent <= 100))
  for (const stage of ['reading', 'converting', 'writing']) assert.ok(drawn.includes(`${stage}\x1b[K`), stage)
  assert.is(stdout.split('\n').length, 2, 'one line')
  assert.match(stdout, /\x1b\[32m#/)
})

onTerminal('Ctrl-C typed on the terminal stops it and gives the cursor back', async () => {
  const running = startOnTerminal(typed(clip, '--end', '29', '-o', output), {}, 'open')
  await until('ffmpeg runs', runsFfmpeg)
  running.child.stdin.write('\x03')
  const { exit, stdout } = await running.ended
  assert.is(exit, 130)
  assert.match(stdout, /\x1b\[\?25h/)
  assert.ok(stdout.lastIndexOf(SHOWN) > stdout.lastIndexOf(HIDDEN))
  assert.match(stdout, /\x1b\[\?25hmotion-photo: Stopped\. Nothing was written\.\r\n$/)
  await nothingIsLeft()
})

onTerminal('a narrow window is enough', async () => {
  const order = `stty cols 24; ${typed(clip, '--end', '1', '-o', output)} >/dev/null`
  const { exit, stdout } = await startOnTerminal(order, { NO_COLOR: '1' }).ended
  assert.is(exit, 0)
  const lines = stdout.split('\r').map((line) => line.replace(/\x1b\[(\?25[lh]|K)/g, ''))
  assert.ok(lines.some((line) => line.startsWith('preparing')))
  for (const line of lines) assert.ok(line.length < 24, line)
})

onTerminal('a terminal that cannot redraw gets plain lines', async () => {
  const { exit, stdout } = await startOnTerminal(typed(clip, '--end', '1', '-o', output), { TERM: 'dumb' })
    .ended
  assert.is(exit, 0)
  assert.is(stdout, ['reading clip.mkv', 'preparing', 'converting', 'writing x.jpg', output, ''].join('\r\n'))
})

onTerminal('standard input that is a terminal is refused rather than waited for', async () => {
  const { exit, stdout } = await startOnTerminal(typed('-', '-o', output), {}, 'open').ended
  assert.is(exit, 2)
  assert.match(stdout, /Standard input is a terminal: pipe a video into it, or name one\./)
})

test.run()
