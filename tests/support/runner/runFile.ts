import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { exitGraceMs, type WorkerMessage } from './messages'
import { killMarked, markVariable, survivors } from './processes'

export type FileResult = {
  /** As on the command line: `unit/media/session`. */
  readonly name: string
  readonly passed: number
  readonly failures: readonly { readonly name: string; readonly text: string }[]
  readonly skipped: readonly { readonly name: string; readonly reason: string }[]
  readonly durationMs: number
  /** The end of what the file's process wrote to standard output and standard error. */
  readonly output: string
}

// A worker ends its steps by itself; this much later its event loop must be blocked.
const blockedMs = 10_000
const maxOutput = 64 * 1024
const channelMs = 20_000
const outputMs = 5_000

/**
 * Runs one test file in a process of its own. Whatever that process does, the promise resolves, and nothing that it
 * started is left. When the signal aborts, all of it is killed at once.
 */
export async function runFile(
  file: { readonly name: string; readonly path: string },
  options: {
    readonly worker: string
    /** Added to the runner's own environment. */
    readonly env?: Readonly<Record<string, string>>
    readonly signal: AbortSignal
  },
): Promise<FileResult> {
  const startedAt = performance.now()
  const mark = randomUUID()
  const tally = createTally()
  const child = start(file.path, options.worker, { ...options.env, [markVariable]: joinMarks(mark) })
  const killAll = () => void killMarked(mark, child.pid)
  options.signal.addEventListener('abort', killAll, { once: true })

  let watchdog: NodeJS.Timeout | undefined
  const watch = (ms: number, sentence: string) => {
    clearTimeout(watchdog)
    watchdog = setTimeout(() => {
      tally.stop(sentence)
      killAll()
    }, ms)
  }
  child.on('message', (message: WorkerMessage) => {
    tally.take(message)
    if (message.kind === 'started')
      watch(
        message.timeoutMs + blockedMs,
        `Timed out: it blocked its process for more than ${message.timeoutMs / 1000} s.`,
      )
    if (message.kind === 'done')
      watch(exitGraceMs + blockedMs, 'The process did not exit after its last test.')
  })
  const output = collect(child)

  const [exitCode, signalName] = await exitOf(child)
  // The exit may be seen before the last messages, which the channel delivers until it closes.
  if (child.connected)
    await Promise.race([once(child, 'disconnect'), sleep(channelMs, undefined, { ref: false })])
  clearTimeout(watchdog)
  options.signal.removeEventListener('abort', killAll)
  if (options.signal.aborted) tally.stop('Cancelled.')
  tally.ended(signalName === null ? `exit code ${exitCode}` : signalName, exitCode === 0)

  const left = await survivors(mark, tally.wasStopped() ? 0 : exitGraceMs)
  await killMarked(mark, child.pid)
  if (left.length > 0 && !tally.wasStopped())
    tally.fail('(processes left behind)', left.map(({ pid, command }) => `${pid} ${command}`).join('\n'))
  // Pipes close with the last process that holds them, and now all are dead.
  await Promise.race([output.closed, sleep(outputMs, undefined, { ref: false })])
  return {
    name: file.name,
    ...tally.result(),
    durationMs: performance.now() - startedAt,
    output: output.text(),
  }
}

function joinMarks(mark: string): string {
  const outer = process.env[markVariable]
  return outer === undefined ? mark : `${outer},${mark}`
}

function start(path: string, worker: string, env: Readonly<Record<string, string>>): ChildProcess {
  return fork(worker, [path], {
    // A group of its own, so that everything in it can be killed together.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: ['--enable-source-maps'],
    env: { ...process.env, ...env },
  })
}

async function exitOf(child: ChildProcess): Promise<[number | null, NodeJS.Signals | null]> {
  // A process that could not even be started emits only `error`.
  const failed = once(child, 'error').then(([error]): never => {
    throw error
  })
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  return Promise.race([exited, failed])
}

function collect(child: ChildProcess) {
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8')
    stream?.on('data', (chunk: string) => {
      text = (text + chunk).slice(-maxOutput)
    })
  }
  return { closed: once(child, 'close'), text: () => text }
}

function createTally() {
  let passed = 0
  let current = '(starting)'
  let done = false
  let stopped = false
  const failures: { name: string; text: string }[] = []
  const skipped: { name: string; reason: string }[] = []
  const fail = (name: string, text: string) => void failures.push({ name, text })

  return {
    fail,
    take(message: WorkerMessage) {
      if (message.kind === 'started') current = message.name
      else if (message.kind === 'passed') passed++
      else if (message.kind === 'failed') fail(message.name, message.text)
      else if (message.kind === 'skipped') skipped.push({ name: message.name, reason: message.reason })
      else if (message.kind === 'done') {
        done = true
        if (passed + failures.length + skipped.length === 0) fail('(file)', 'This file has no tests.')
      } else
        fail(
          '(handles left open)',
          `Still open ${exitGraceMs / 1000} s after the last test: ${message.resources.join(', ') || 'unknown'}`,
        )
    },
    /** The runner ends the process, and this is why. */
    stop(sentence: string) {
      if (!stopped) fail(current, sentence)
      stopped = true
    },
    ended(how: string, clean: boolean) {
      if (stopped) return
      if (!done) fail(current, `The process ended in the middle of this (${how}).`)
      else if (!clean) fail('(exit)', `The process ended with ${how} after its last test.`)
    },
    wasStopped: () => stopped,
    result: () => ({ passed, failures, skipped }),
  }
}
