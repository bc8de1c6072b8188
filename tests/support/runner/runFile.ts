import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { killMarked, markedProcesses, markVariable } from '../process/markedProcesses'
import type { Outcome } from './outcome'

export type FileResult = Pick<Outcome, 'passed' | 'failures' | 'skipped'> & {
  /** As on the command line: `unit/media/sessions/session`. */
  readonly name: string
  /** The end of what the process wrote, uvu's report included. */
  readonly output: string
}

/** A test ends by its own limit; later than this the event loop must be blocked. */
const LIMIT_MS = 20 * 60_000
const GRACE_MS = 6_000
const MAX_OUTPUT = 64 * 1024

/** Runs a test file in a process of its own. Whatever that process does, the promise resolves, and nothing it started is left. */
export async function runFile(
  file: { readonly name: string; readonly path: string },
  options: {
    readonly worker: string
    readonly env?: Readonly<Record<string, string>>
    readonly signal: AbortSignal
  },
): Promise<FileResult> {
  const mark = randomUUID()
  const marks = [process.env[markVariable], mark].filter(Boolean).join(',')
  const child = fork(options.worker, [file.path], {
    // A group of its own, so that everything in it can be killed together.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: ['--enable-source-maps'],
    env: { ...process.env, ...options.env, [markVariable]: marks },
  })
  const killAll = () => void killMarked(mark, child.pid)
  const limit = setTimeout(killAll, LIMIT_MS)
  options.signal.addEventListener('abort', killAll, { once: true })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      output = (output + chunk).slice(-MAX_OUTPUT)
    })
  }
  let told: Outcome | undefined
  child.on('message', (message: Outcome) => {
    told = message
  })
  const closed = once(child, 'close')
  const [exitCode, signalName] = await once(child, 'exit')
  clearTimeout(limit)
  options.signal.removeEventListener('abort', killAll)
  const left = options.signal.aborted ? [] : await survivors(mark)
  await killMarked(mark, child.pid)
  // Pipes close with the last process that holds them, and now all are dead.
  await Promise.race([closed, sleep(GRACE_MS, undefined, { ref: false })])

  const { passed = 0, failures = [], skipped = [] } = told ?? {}
  if (told === undefined) failures.push(`(file): the process ended in the middle (${signalName ?? exitCode})`)
  else if (passed + failures.length + skipped.length === 0) failures.push('(file): it has no tests')
  else if (exitCode !== 0 && failures.length === 0)
    failures.push(`(file): exit code ${signalName ?? exitCode}`)
  if (left.length > 0) failures.push(`(processes left behind): ${left.join('; ')}`)
  return { name: file.name, passed, failures, skipped, output }
}

/** The commands of marked processes that are still there after a while. */
async function survivors(mark: string): Promise<readonly string[]> {
  const end = performance.now() + GRACE_MS
  for (;;) {
    const left = await markedProcesses(mark)
    if (left.length === 0 || performance.now() >= end) return left.map(({ command }) => command)
    await sleep(50)
  }
}
