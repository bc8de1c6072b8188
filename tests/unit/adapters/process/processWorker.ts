// A process of its own for the tests of child processes: `processWorker.mjs <role>`. It says what it has done in lines on
// standard output, and most roles then stay until they are killed.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker, workerData } from 'node:worker_threads'
import { killAllProcesses } from '@lantern-room/adapters/process'
import { runProcess } from '#internal/adapters/process/processRunner'

const say = (...words: unknown[]) => writeFileSync(1, `${words.join(' ')}\n`)
const stay = () => new Promise<never>(() => setInterval(() => undefined, 1 << 30))
const forever = { timeoutMs: 3_600_000, signal: new AbortController().signal }

/** Runs a script for long; it tells the numbers of its processes, which are said. */
function runScript(script: string, stdin?: AsyncIterable<Uint8Array>) {
  return runProcess({
    ...forever,
    file: '/bin/sh',
    args: ['-c', script],
    ...(stdin && { stdin }),
    onStderrLine: (line) => {
      say(line)
      return true
    },
  })
}

/** A program and a child of it that run for long. */
const runLong = () => runScript('sleep 3600 & echo "pids $$ $!" >&2; wait')

const roles: Readonly<Record<string, () => Promise<unknown>>> = {
  /** Runs a program until this process is killed. */
  run: runLong,
  /** The same with a program that reads from us without end. */
  feed: () => runScript('echo "pids $$" >&2; cat >/dev/null', zeros()),
  /** Runs a short program and must then end by itself. */
  async quick() {
    const { exitCode } = await runProcess({ ...forever, file: '/bin/sh', args: ['-c', 'exit 3'] })
    say('exit code', exitCode)
  },
  /** Runs a program, and on SIGTERM kills it at once and exits. */
  async impatient() {
    process.on('SIGTERM', () => {
      killAllProcesses()
      process.exit(0)
    })
    await runLong()
  },
  /** Runs a program in a thread, whose end is asked for on SIGUSR2; this process stays. */
  async thread() {
    const thread = new Worker(fileURLToPath(import.meta.url), { workerData: ['run'] })
    process.on('SIGUSR2', () => {
      thread.terminate().then(() => say('terminated'))
    })
    await stay()
  },
}

async function* zeros(): AsyncGenerator<Uint8Array> {
  for (;;) yield new Uint8Array(65_536)
}

const [role = ''] = Array.isArray(workerData) ? workerData.map(String) : process.argv.slice(2)
await roles[role]?.()
