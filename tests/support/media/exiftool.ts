import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { exiftoolPath } from 'exiftool-vendored'

// One process for all that a test file asks: to start one takes longer than most answers.

let child: ChildProcessWithoutNullStreams | undefined
let asked = 0
let last: Promise<unknown> = Promise.resolve()

/** Asks exiftool, run by the Perl at `PERL_PATH`, or of the system. @returns what it prints */
export function exiftool(...args: readonly string[]): Promise<Buffer> {
  const answer = last.then(() => ask(args))
  last = answer.catch(() => undefined)
  return answer
}

async function ask(args: readonly string[]): Promise<Buffer> {
  child ??= await start()
  asked += 1
  const end = `{end${asked}}\n`
  setReferenced(child, true)
  const answers = Promise.all([readUntil(child.stdout, end), readUntil(child.stderr, end)])
  // Its own {ready} is left out with -q; otherwise it is written after these, and may stand before the next answer.
  const marks = ['-echo3', end.trim(), '-echo4', `$\{status}${end.trim()}`]
  child.stdin.write([...args, ...marks, '-execute', ''].join('\n'))
  const [output, words] = await answers
  setReferenced(child, false)
  const [, complaint = '', status] = /^(.*?)(\d+)$/s.exec(words.toString()) ?? []
  if (status !== '0') throw new Error(`exiftool ${args.join(' ')}\nended with ${status}\n${complaint}`)
  const ready = '{ready}\n'
  return output.indexOf(ready) === 0 ? output.subarray(ready.length) : output
}

async function start(): Promise<ChildProcessWithoutNullStreams> {
  const perl = process.env.PERL_PATH || 'perl'
  const started = spawn(perl, [await exiftoolPath(), '-stay_open', 'True', '-@', '-'])
  process.once('exit', () => started.kill('SIGKILL'))
  return started
}

/** Without, it keeps nobody waiting. */
function setReferenced(process: ChildProcessWithoutNullStreams, isWaited: boolean): void {
  const { stdin, stdout, stderr } = process
  for (const one of [process, stdin, stdout, stderr] as unknown as readonly (typeof process)[])
    if (isWaited) one.ref()
    else one.unref()
}

/** @returns what comes before the mark */
function readUntil(stream: Readable, mark: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const finish = () => stream.off('data', take).off('close', closed)
    const closed = () => {
      finish()
      reject(new Error('exiftool has ended by itself.'))
    }
    const take = (chunk: Buffer) => {
      chunks.push(chunk)
      if (!Buffer.concat(chunks.slice(-2)).includes(mark)) return
      const whole = Buffer.concat(chunks)
      finish()
      resolve(whole.subarray(0, whole.lastIndexOf(mark)))
    }
    stream.on('data', take).once('close', closed)
  })
}
