import { once } from 'node:events'
import { readdir, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type FileResult, runFile } from '#support/runner/runFile'
import { fullRunVariable } from '#support/values/caseCount'
import { inParallel } from '#support/values/inParallel'
import { isQuick, type Lane, laneOf, testGroups } from './quick'

const usage = `npm test -- [words] [options]
  Without words: the tests that tests/quick.ts lists. With words: every test file whose path contains one of them.
  --all          every test file, and the long form of tests that have a short one (npm run test:all)
  --jobs N       files at once, as many of those that mostly wait, and one on the LAN; two more when these are done
                 (default: one per core; 1 adds none)
  --repeat N     where at most N files failed, they run once more, alone; what passes then is named as unstable
  --results FILE gets the counts and the closing lines as JSON: { passed, failed, skipped, notes }
  --root FOLDER  of the built tests (default: dist/tests)`

const ENDING = '.test.mjs'
/** Held by the run whose `….lan.test.ts` files may run: worlds announced on loopback are seen by all programs. */
const LAN_TURN_PORT = 4445

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    repeat: { type: 'string', default: '0' },
    results: { type: 'string' },
    root: { type: 'string' },
    help: { type: 'boolean' },
  },
})
const root = values.root ?? 'dist/tests'
const stop = new AbortController()
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => stop.abort())

if (values.help) console.log(usage)
else await main()

async function main(): Promise<void> {
  const names = (await findNames()).filter(isWanted)
  if (names.length === 0) console.log(`No test file matches: ${words.join(' ')}`)
  const namesIn = (lane: Lane) => names.filter((name) => laneOf(name) === lane)
  const results = new Map<string, FileResult>()
  const run = async (name: string) => void results.set(name, await runOne(name))
  const jobs = Number(values.jobs)
  const computing = namesIn('computing').values()
  const beside = async (lane: Lane, limit: number) => {
    await inParallel(namesIn(lane), limit, stop.signal, run)
    // What computes waits at times, too: one more of it finds a core.
    await inParallel(computing, Math.min(jobs - 1, 1), stop.signal, run)
  }
  await Promise.all([
    inParallel(computing, jobs, stop.signal, run),
    beside('waiting', jobs),
    beside('lan', 1),
  ])
  await inParallel(namesIn('alone'), 1, stop.signal, run)

  const failed = [...results.values()].filter(hasFailed)
  if (failed.length <= Number(values.repeat) && !stop.signal.aborted)
    for (const { name } of failed) await run(name)
  const final = [...results.values()]
  const unstable = failed.filter(({ name }) => !final.some((one) => one.name === name && hasFailed(one)))
  // With one file its output is wanted even when it passes.
  const shown = names.length === 1 ? final : final.filter(hasFailed)
  for (const { output } of [...unstable, ...shown]) console.log(output)
  const isWell = await report(final, unstable)
  process.exitCode = isWell && !stop.signal.aborted ? 0 : 1
}

/** Prints the closing lines, the last of which has the counts. @returns whether all is well */
async function report(final: readonly FileResult[], unstable: readonly FileResult[]): Promise<boolean> {
  const notes = [...notesOn('unstable', unstable), ...notesOn('FAIL', final), ...notesOnSkipped(final)]
  const { passed, failed, skipped } = countsOf(final)
  for (const note of notes) console.log(note)
  console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  if (values.results !== undefined)
    await writeFile(values.results, JSON.stringify({ passed, failed, skipped, notes }))
  return passed > 0 && failed === 0
}

function notesOn(word: string, results: readonly FileResult[]): string[] {
  return results.flatMap(({ name, failures }) => failures.map((test) => `${word}  ${name} > ${test}`))
}

function notesOnSkipped(results: readonly FileResult[]): string[] {
  return results.flatMap(({ name, skipped }) =>
    skipped.map((test) => `skip  ${name} > ${test.name}: ${test.reason}`),
  )
}

function countsOf(results: readonly FileResult[]) {
  const count = (of: (result: FileResult) => number) => results.reduce((total, one) => total + of(one), 0)
  return {
    passed: count((one) => one.passed),
    failed: count((one) => one.failures.length),
    skipped: count((one) => one.skipped.length),
  }
}

/** The built test files, in the order of their groups: `unit/media/sessions/session`. */
async function findNames(): Promise<readonly string[]> {
  const paths = (await readdir(root, { recursive: true })).map((path) => path.replaceAll('\\', '/')).sort()
  const names = paths.filter((path) => path.endsWith(ENDING)).map((path) => path.slice(0, -ENDING.length))
  return testGroups.flatMap((group) => names.filter((name) => name.startsWith(`${group}/`)))
}

function isWanted(name: string): boolean {
  if (words.length === 0) return values.all || isQuick(name)
  return words.some((word) => name.toLowerCase().includes(word.toLowerCase()))
}

async function runOne(name: string): Promise<FileResult> {
  // The runner's own tests run the files of another folder, while their run may have the turn.
  const isTurnNeeded = /\.(lan|alone)$/.test(name) && values.root === undefined
  const turn = isTurnNeeded ? await takeLanTurn() : undefined
  const startedAt = performance.now()
  const env = { [fullRunVariable]: values.all ? 'yes' : '' }
  const result = await runFile(name, join(root, `${name}${ENDING}`), stop.signal, env)
  turn?.close()
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  const failures = hasFailed(result) ? `, ${result.failures.length} failed` : ''
  const cpu = result.cpuSeconds === undefined ? '' : ` (CPU ${result.cpuSeconds.toFixed(1)} s)`
  console.log(
    `${failures ? 'FAIL' : ' ok '}  ${name}  ${result.passed} passed${failures}  ${seconds} s${cpu}`,
  )
  return result
}

/** The turn is a TCP port, which the system frees when its holder ends. After ten minutes it is no run of tests that has it. */
async function takeLanTurn(): Promise<Server | undefined> {
  const end = performance.now() + 600_000
  while (!stop.signal.aborted && performance.now() < end) {
    const server = createServer((socket) => socket.destroy()).listen(LAN_TURN_PORT, '127.0.0.1')
    const isTaken = await once(server, 'listening').catch(() => 'taken')
    if (isTaken !== 'taken') return server
    await sleep(200)
  }
  return undefined
}

function hasFailed({ failures }: FileResult): boolean {
  return failures.length > 0
}
