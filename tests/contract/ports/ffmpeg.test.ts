import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFfmpeg } from '@lantern-room/adapters/ffmpeg'
import { ServiceError } from '@lantern-room/base'
import type { FfmpegTask } from '@lantern-room/media/ports'
import { ffmpegPath } from '#support/media/media'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'
import { rejection } from '#support/values/failures'
import { refusal } from './expected'
import { childProcesses, openPipes } from './leaks'

const test = suite('ffmpeg as a child process', { timeoutMs: 60_000 })
const ffmpeg = createFfmpeg({ path: ffmpegPath })
let scratch = ''
/** What is there when nothing runs: the guard starts with the first child and stays. */
let held: readonly string[] = []

test.before(async () => {
  held = await open()
})
test.before.each(async () => {
  scratch = await makeTempFolder('ffmpeg')
})
test.after.each(async () => {
  await removeFolders(scratch)
  assert.equal(await leaks(), [])
})

const run = (args: readonly string[], task: Partial<FfmpegTask> = {}) =>
  ffmpeg.run({ timeoutMs: 240_000, signal: new AbortController().signal, ...task, args })
const endless = ['-f', 'lavfi', '-re', '-i', 'testsrc=s=64x64:r=30', '-f', 'null', '-']
const rawInput = ['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', '16x16', '-r', '30', '-i', 'pipe:0']
const rawOutput = ['-f', 'rawvideo', '-pix_fmt', 'rgb24', 'pipe:1']
const frame = (value: number) => new Uint8Array(16 * 16 * 3).fill(value)

test('says its version', async () => {
  assert.match(await ffmpeg.version(), /^ffmpeg version \S+/)
})

test('bytes go in and come out exactly', async () => {
  const stdin = new Uint8Array([...frame(1), ...frame(200), ...frame(77)])
  const { exitCode, stdout, stderr } = await run([...rawInput, ...rawOutput], { stdin })
  assert.is(exitCode, 0, stderr)
  assert.is(stdout.constructor, Uint8Array)
  equalBytes(stdout, stdin)
})

test('frames are taken from a slow and long source at the pace of the program', async () => {
  let made = 0
  async function* frames() {
    for (; made < 400; made++) {
      if (made % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 5))
      yield frame(made % 251)
    }
  }
  const { exitCode, stdout } = await run([...rawInput, ...rawOutput], { stdin: frames() })
  assert.is(exitCode, 0)
  assert.is(stdout.length, 400 * 768)
  for (let n = 0; n < 400; n++) assert.is(stdout[n * 768], n % 251)
})

test('a program that reads only the beginning ends the source', async () => {
  let ended = false
  async function* frames() {
    try {
      for (;;) yield new Uint8Array(768 * 100)
    } finally {
      ended = true
    }
  }
  const { exitCode, stdout } = await run([...rawInput, '-frames:v', '2', ...rawOutput], { stdin: frames() })
  assert.is(exitCode, 0)
  assert.is(stdout.length, 2 * 768)
  await new Promise((resolve) => setImmediate(resolve))
  assert.is(ended, true)
})

test('a source that fails kills the program, and its error is what the caller hears', async () => {
  const broken = new Error('the source broke')
  async function* frames() {
    yield frame(1)
    throw broken
  }
  assert.is(await rejection(run([...rawInput, ...rawOutput], { stdin: frames() })), broken)
})

test('a refusal is an outcome with its reason', async () => {
  const { exitCode, stderr, stdout } = await run(['-i', join(scratch, 'none.mp4'), '-f', 'null', '-'])
  assert.ok(exitCode !== 0 && exitCode !== null)
  assert.match(stderr, /No such file or directory/)
  assert.not.match(stderr, /Copyright|configuration:/)
  assert.is(stdout.length, 0)
})

test('it does not wait for a terminal when it is given no input', async () => {
  const { exitCode } = await run(['-i', 'pipe:0', '-f', 'null', '-'])
  assert.is.not(exitCode, 0)
})

test('frames are counted while it works, and the counting is kept out of the text', async () => {
  const counts: number[] = []
  const args = '-f lavfi -i testsrc=s=320x240:r=30:d=4 -progress pipe:2 -stats_period 0.05'.split(' ')
  const { exitCode, stderr } = await run([...args, '-f', 'null', '-'], {
    onFrame: (count) => counts.push(count),
  })
  assert.is(exitCode, 0)
  assert.is(counts.at(-1), 120)
  const sorted = counts.toSorted((a, b) => a - b)
  assert.equal(sorted, counts)
  assert.not.match(stderr, /progress=|out_time|^frame=/m)
  assert.match(stderr, /Stream #0:0/)
})

test('an onFrame that throws kills the program, and its error is what the caller hears', async () => {
  const broken = new Error('nobody is listening')
  const onFrame = () => {
    throw broken
  }
  assert.is(await rejection(run(['-progress', 'pipe:2', ...endless], { onFrame })), broken)
})

test('an abort kills it, and the reason is what the caller hears', async () => {
  const abort = new AbortController()
  const reason = new ServiceError('unavailable', 'Stopped by the test.')
  const onFrame = () => abort.abort(reason)
  const args = ['-progress', 'pipe:2', '-stats_period', '0.1', ...endless]
  assert.is(await rejection(run(args, { signal: abort.signal, onFrame })), reason)
  assert.equal(await leaks(), [])
})

test('with an aborted signal it is not even started', async () => {
  const reason = new Error('too late')
  const output = join(scratch, 'out.mp4')
  const args = ['-f', 'lavfi', '-i', 'testsrc=d=0.1', '-y', output]
  assert.is(await rejection(run(args, { signal: AbortSignal.abort(reason) })), reason)
  assert.is(await stat(output).catch(() => undefined), undefined)
})

test('when the time is over it is killed', async () => {
  await refusal(run(endless, { timeoutMs: 300 }), 'timeout')
  assert.equal(await leaks(), [])
})

test('a program that waits for a source which never comes is killed as well', async () => {
  async function* never(): AsyncGenerator<Uint8Array> {
    yield frame(1)
    await new Promise(() => undefined)
  }
  await refusal(run([...rawInput, ...rawOutput], { stdin: never(), timeoutMs: 300 }), 'timeout')
})

test('more output than allowed kills it; exactly as much does not', async () => {
  const args = ['-f', 'lavfi', '-i', 'testsrc=s=16x16:r=30:d=1', ...rawOutput]
  const { stdout } = await run(args, { maxOutputBytes: 30 * 768 })
  assert.is(stdout.length, 30 * 768)
  await refusal(run(args, { maxOutputBytes: 30 * 768 - 1 }), 'unprocessable')
})

test('a file that becomes larger than allowed ends it', async () => {
  const args = ['-f', 'lavfi', '-i', 'testsrc=s=16x16:r=30:d=1', '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-y']
  const exitCodes: boolean[] = []
  for (const maxFileBytes of [64 * 768, 8 * 768]) {
    const { exitCode } = await run([...args, join(scratch, 'raw')], { maxFileBytes })
    exitCodes.push(exitCode === 0)
  }
  assert.equal(exitCodes, [true, process.platform === 'win32'])
})

test('a transport stream may name its programme in any character set', async () => {
  const path = join(scratch, 'named.ts')
  const made = await run([
    ...['-f', 'lavfi', '-i', 'testsrc2=s=64x64:r=30:d=0.2', '-c:v', 'mpeg2video'],
    ...['-metadata', 'service_name=XXXName', '-f', 'mpegts', path],
  ])
  assert.is(made.exitCode, 0, made.stderr)
  const stream = await readFile(path)
  // ETSI EN 300 468, annex A: one byte says it, or three; without one it is ISO 6937.
  const sets = [
    ...Array.from({ length: 0x1f }, (_, index) => [index + 1, 0xe9, 0xe8]),
    ...Array.from({ length: 16 }, (_, index) => [0x10, 0, index]),
    [0xc2, 0x65, 0x41],
  ]
  for (const set of sets) {
    await writeFile(path, renamed(stream, 'XXX', Uint8Array.from(set)))
    const { exitCode, stdout, stderr } = await run(['-i', path, '-map', '0:v', '-f', 'framecrc', 'pipe:1'])
    assert.is(exitCode, 0, `${set}: ${stderr}`)
    assert.is(new TextDecoder().decode(stdout).match(/^0,/gm)?.length, 6, `${set}`)
  }
})

test('what it writes to standard error is bounded, and the end of it is kept', async () => {
  const args = ['-loglevel', 'debug', '-f', 'lavfi', '-i', 'testsrc=s=16x16:r=1000:d=5,showinfo']
  const { exitCode, stderr } = await run([...args, '-f', 'null', '-'])
  assert.is(exitCode, 0)
  const bytes = new TextEncoder().encode(stderr).length
  assert.ok(bytes <= 256 * 1024 && bytes > 200 * 1024, String(bytes))
  assert.match(stderr, /n:4999/)
  assert.not.match(stderr, /n: {3}0/)
})

test.skipUnless(process.platform === 'linux', 'only Linux limits the memory of one program')(
  'a picture that needs more memory than it may have is an outcome, not a full machine',
  async () => {
    const limited = createFfmpeg({ path: ffmpegPath, memoryLimitBytes: 512 * 1024 * 1024 })
    const onePicture = ['-f', 'lavfi', '-i', 'color=s=64x64:r=1:d=1']
    const scaled = (size: number) => ({
      args: [...onePicture, '-vf', `scale=${size}:${size}`, '-abort_on', 'empty_output', '-f', 'null', '-'],
      timeoutMs: 240_000,
      signal: new AbortController().signal,
    })
    const small = await limited.run(scaled(1000))
    assert.is(small.exitCode, 0, small.stderr)
    assert.is.not((await limited.run(scaled(16_000))).exitCode, 0)
    const { exitCode } = await ffmpeg.run(scaled(16_000))
    assert.is(exitCode, 0, 'with more memory it is an honest picture')
  },
)

async function open(): Promise<string[]> {
  return [...(await childProcesses()), ...openPipes()]
}

/** Programs that still run and pipes that are still open; nothing after each test. */
async function leaks(): Promise<string[]> {
  return (await open()).filter((one) => !held.includes(one))
}

const PACKET = 188

/**
 * A transport stream with other bytes in the names of its programmes (ISO/IEC 13818-1, ETSI EN 300 468).
 * @param from what stands there, each time in a packet that holds a whole table
 * @param to as many bytes
 */
function renamed(stream: Uint8Array, from: string, to: Uint8Array): Uint8Array {
  const result = Buffer.from(stream)
  let count = 0
  for (let at = result.indexOf(from); at >= 0; at = result.indexOf(from, at + from.length)) {
    result.set(to, at)
    // Four bytes of the packet, then how many to skip; of the table the kind, and its length behind four flags.
    const table = at - (at % PACKET) + 5
    const end = table + 3 + (result.readUInt16BE(table + 1) & 0xfff)
    result.writeUInt32BE(checksum(result.subarray(table, end - 4)), end - 4)
    count += 1
  }
  if (count === 0 || to.length !== from.length) throw new Error('nothing was renamed')
  return result
}

/** CRC-32/MPEG-2. */
function checksum(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte << 24
    for (let bit = 0; bit < 8; bit += 1)
      crc = crc < 0 || crc > 0x7fffffff ? (crc << 1) ^ 0x04c11db7 : crc << 1
  }
  return crc >>> 0
}

test.run()
