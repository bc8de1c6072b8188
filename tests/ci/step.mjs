// One step of `.ci/run`, which needs nothing that is installed or built:
//   node tests/ci/step.mjs [--seconds N] [--told FILE [--each]] NAME COMMAND…
// Runs the command, shows its output and its time, ends it when its time is over, and adds a line to the file $CI_RESULTS, which
// tests/ci/result.mjs sums up. The step counts as one passed, failed, or (exit code 77) skipped. It fails if it leaves a process
// or a temporary file behind.
//   --seconds N  it may take; never more than is left of the whole run
//   --told FILE  what a run of tests has counted (`--results` of tests/run.ts): its failed and unstable tests are named
//   --each       and each of its tests counts, in place of the step
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

const SKIPPED = 77
/** From the signal that asks a step to end to the one that ends it. */
const STOP_MS = 10_000
/** Processes may need a moment to end after the one that started them. */
const GRACE_MS = 6_000
const MARK = 'CI_STEP_MARK'
/** Of the output, in which the last line is. */
const TAIL_LENGTH = 4000

const options = { seconds: { type: 'string' }, told: { type: 'string' }, each: { type: 'boolean' } }
const words = process.argv.slice(2)
// The command has options of its own.
const { tokens } = parseArgs({ args: words, options, strict: false, tokens: true })
const nameAt = tokens.find(({ kind }) => kind === 'positional').index
const { values } = parseArgs({ args: words.slice(0, nameAt), options })
const [name, program, ...args] = words.slice(nameAt)
/** Seconds since 1970, and how long everything may take. */
const [runStartedAt, runSeconds] = [process.env.CI_STARTED_AT, process.env.CI_SECONDS].map(Number)

// Whatever becomes of this process, the step counts.
record({ begun: true })
console.log(`\n=== ${name}  [${clockOf(Date.now() / 1000 - runStartedAt)}]`)
const [startedAt, busyBefore] = [performance.now(), busySeconds()]
const { exitCode, problem, lastLine } = await run()
const seconds = Math.round((performance.now() - startedAt) / 1000)
const busy = Math.round(busySeconds() - busyBefore)
console.log(`--- ${name}: ${problem ?? 'done'} after ${seconds} s, ${busy} s of processor time`)
record(values.each ? countOfTests() : countOfStep())
process.exitCode = exitCode

/** @returns what has gone wrong as `problem`, of which a skipped step has none */
async function run() {
  const mark = randomUUID()
  const folder = mkdtempSync(join(tmpdir(), 'ci-'))
  const child = spawn(program, args, {
    // A group of its own, so that everything in it can be ended together.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: folder, [MARK]: mark },
  })
  let tail = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      process.stdout.write(chunk)
      tail = (tail + chunk).slice(-TAIL_LENGTH)
    })
  let stopped
  const stop = (reason) => {
    stopped ??= reason
    signalGroup(child, 'SIGTERM')
    setTimeout(() => signalGroup(child, 'SIGKILL'), STOP_MS).unref()
  }
  const limit = setTimeout(stop, 1000 * secondsLeft(), 'out of time')
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop('interrupted'))
  const exited = new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code: code ?? 1, ended: signal ?? `exit code ${code}` }))
    child.once('error', (error) => resolve({ code: 127, ended: error.message }))
  })
  const closed = new Promise((resolve) => child.once('close', resolve))
  const { code, ended } = await exited
  clearTimeout(limit)
  const processes = await endLeftovers(mark, stopped ? 0 : GRACE_MS)
  // Its output ends with the last process that holds it.
  await Promise.race([closed, sleep(GRACE_MS, undefined, { ref: false })])
  const files = readdirSync(folder)
  rmSync(folder, { recursive: true, force: true })

  const leftovers = [
    ...processes.map((command) => `left running: ${command}`),
    ...files.map((file) => `left behind: ${file}`),
  ]
  const failure = stopped ?? (code === 0 || code === SKIPPED ? undefined : ended)
  const problems = failure === undefined ? leftovers : [failure]
  const lastLine = tail.trimEnd().split('\n').at(-1)
  if (problems.length === 0) return { exitCode: code, lastLine }
  return { exitCode: code === 0 || code === SKIPPED ? 1 : code, problem: problems.join(', '), lastLine }
}

function countOfStep() {
  const notes = told()?.notes.filter((note) => !note.startsWith('skip')) ?? []
  if (problem !== undefined)
    return { passed: 0, failed: 1, skipped: 0, notes: [...notes, `FAIL  ${name} (${problem})`] }
  if (exitCode === SKIPPED)
    return { passed: 0, failed: 0, skipped: 1, notes: [...notes, `skip  ${name}: ${lastLine}`] }
  return { passed: 1, failed: 0, skipped: 0, notes }
}

/** The step itself counts only when it failed without a failed test. */
function countOfTests() {
  const { passed, failed, skipped, notes } = told() ?? { passed: 0, failed: 0, skipped: 0, notes: [] }
  const isCounted = told() !== undefined && (problem === undefined || failed > 0)
  if (isCounted) return { passed, failed, skipped, notes }
  const why = problem ?? 'it has told no results'
  return { passed, failed: failed + 1, skipped, notes: [...notes, `FAIL  ${name} (${why})`] }
}

/** @returns undefined when the tests ended before they wrote it */
function told() {
  try {
    return JSON.parse(readFileSync(values.told, 'utf8'))
  } catch {
    return undefined
  }
}

function record(counts) {
  appendFileSync(process.env.CI_RESULTS, `${JSON.stringify({ name, ...counts })}\n`)
}

function secondsLeft() {
  const left = runStartedAt + runSeconds - Date.now() / 1000
  return Math.max(1, Math.min(left, Number(values.seconds ?? left)))
}

/** Ends what still carries the mark after `graceMs`. @returns the commands of those processes */
async function endLeftovers(mark, graceMs) {
  const deadline = performance.now() + graceMs
  let left = marked(mark)
  while (left.length > 0 && performance.now() < deadline) {
    await sleep(50)
    left = marked(mark)
  }
  const commands = left.map((pid) => textOf(pid, 'cmdline').replaceAll('\0', ' ').trim().slice(0, 200))
  for (const pid of left) kill(pid, 'SIGKILL')
  return commands
}

function marked(mark) {
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))
  return pids.filter((pid) => textOf(pid, 'environ').split('\0').includes(`${MARK}=${mark}`))
}

/** A file of its folder in `/proc`; nothing where the process has ended or is another user's. */
function textOf(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

function signalGroup({ pid }, signal) {
  if (pid !== undefined) kill(-pid, signal)
}

function kill(pid, signal) {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended by itself.
  }
}

/** Of all cores since the machine started: it shows whether a step computes or waits. */
function busySeconds() {
  const sums = cpus().map(({ times }) => times.user + times.nice + times.sys + times.irq)
  return sums.reduce((sum, milliseconds) => sum + milliseconds, 0) / 1000
}

function clockOf(seconds) {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`
}
