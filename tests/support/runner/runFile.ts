import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { killMarked, markVariable, survivors } from '../process/markedProcesses'
import { makeTempFolder, removeFolders } from '../process/tempFolder'
import { LOAD_FAILURE, type Told } from './told'

export type FileResult = {
  /** As on the command line: `unit/media/sessions/session`. */
  readonly name: string
  readonly passed: number
  readonly failures: readonly string[]
  readonly skipped: readonly Told[]
  /** undefined when the process ended in the middle */
  readonly cpuSeconds: number | undefined
  /** The end of what the process wrote, uvu's report included. */
  readonly output: string
}

const WORKER = 'dist/tests/support/runner/worker.mjs'
/** A test ends by its own limit; later than this the event loop must be blocked. */
const LIMIT_MS = 20 * 60_000
const GRACE_MS = 6_000
const MAX_OUTPUT = 64 * 1024
/** What processes that were killed leave: the next ffmpeg removes the one; Wine's server may make its folder again while it ends. */
const LEFT_BY_KILLED = ['lantern-ffmpeg.', 'wine-']

/**
 * Runs a test file in a process of its own, with a temporary folder of its own. Whatever that process does, the promise resolves,
 * and neither a process nor a file of it is left; a test that has not removed what it made fails.
 */
export async function runFile(
  name: string,
  path: string,
  signal: AbortSignal,
  env: Readonly<Record<string, string>> = {},
): Promise<FileResult> {
  const mark = randomUUID()
  const marks = [process.env[markVariable], mark].filter(Boolean).join(',')
  // A short name: paths of sockets may have about a hundred characters.
  const folder = await makeTempFolder('t')
  const child = fork(WORKER, [path], {
    // A group of its own, so that everything in it can be killed together.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: ['--enable-source-maps'],
    env: { ...process.env, ...env, TMPDIR: folder, [markVariable]: marks },
  })
  const killAll = () => killMarked(mark, child.pid)
  const limit = setTimeout(killAll, LIMIT_MS)
  signal.addEventListener('abort', killAll, { once: true })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      output = (output + chunk).slice(-MAX_OUTPUT)
    })
  }
  const told: Told[] = []
  child.on('message', (message: Told) => told.push(message))
  const closed = once(child, 'close')
  // All messages have been read when the channel is closed, which may be after the exit.
  const [[exitCode, signalName]] = await Promise.all([once(child, 'exit'), once(child, 'disconnect')])
  clearTimeout(limit)
  signal.removeEventListener('abort', killAll)
  const left = signal.aborted ? [] : await survivors(mark, GRACE_MS)
  killMarked(mark, child.pid)
  // Pipes close with the last process that holds them, and now all are dead.
  await Promise.race([closed, sleep(GRACE_MS, undefined, { ref: false })])
  const leftFiles = (await readdir(folder)).filter(
    (file) => !LEFT_BY_KILLED.some((name) => file.startsWith(name)),
  )
  await removeFolders(folder)

  const ended = told.find(({ kind }) => kind === 'ended')
  const failures = ended
    ? failuresIn(told, exitCode)
    : [...namesOf(told, 'failed'), `(file): the process ended in the middle (${signalName ?? exitCode})`]
  if (left.length > 0)
    failures.push(`(processes left behind): ${left.map(({ command }) => command).join('; ')}`)
  // A test that failed was ended before it could tidy up.
  if (leftFiles.length > 0 && failures.length === 0 && !signal.aborted)
    failures.push(`(files left behind): ${leftFiles.join('; ')}`)
  const skipped = told.filter(({ kind }) => kind === 'skipped')
  const passed = ended ? namesOf(told, 'passed').length : 0
  return { name, passed, failures, skipped, cpuSeconds: ended?.cpuSeconds, output }
}

function failuresIn(told: readonly Told[], exitCode: number): string[] {
  const failures = namesOf(told, 'failed')
  if (failures.includes(LOAD_FAILURE)) return failures
  const run = namesOf(told, 'suite run')
  for (const title of namesOf(told, 'suite'))
    if (!run.includes(title))
      failures.push(`${title}: This suite was not run: call its run() at the end of the file.`)
  if (failures.length > 0) return failures
  if (namesOf(told, 'passed').length + namesOf(told, 'skipped').length === 0)
    return ['(file): it has no tests']
  return exitCode === 0 ? [] : [`(file): exit code ${exitCode}`]
}

function namesOf(told: readonly Told[], kind: Told['kind']): string[] {
  return told.filter((one) => one.kind === kind).map(({ name }) => name)
}
