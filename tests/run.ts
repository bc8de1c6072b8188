import { randomInt } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { availableParallelism, constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { inParallel } from '#support/runner/inParallel'
import { takeLanTurn } from '#support/runner/lanTurn'
import { repeatFailures } from '#support/runner/repeatFailures'
import {
  closingLine,
  exitCodeOf,
  failureLines,
  fileLine,
  skippedLines,
  unstableLines,
} from '#support/runner/report'
import { type FileResult, runFile } from '#support/runner/runFile'
import { findTestFiles, isListed, isNamedBy, type TestFile } from '#support/runner/testFiles'
import { fullRunVariable } from '#support/values/caseCount'
import { seedVariable } from '#support/values/propertySeed'
import { quickTests, slowTests } from './quick'

const usage = `npm test -- [words] [options]
  Without words: the tests that tests/quick.ts lists. With words: every test file whose path contains one of them.
  --all            every test file, and the long form of tests that have a short one (npm run test:all)
  --random-seeds   the property tests alone, with ten times as many cases, from a new seed that is printed
  --seed N         the same from this seed
  --jobs N         files at once (default: one per core and one more, since many wait for sockets)
  --repeat N       up to N files that failed run once more, alone; what passes then is named as unstable (default 0)
  --list           name the files and stop
  --root FOLDER    of the built tests (default: dist/tests)`

const { values, positionals } = readArguments()
const jobs = values.jobs === undefined ? availableParallelism() + 1 : Number(values.jobs)
const seed = values['random-seeds']
  ? randomInt(2 ** 31)
  : values.seed === undefined
    ? undefined
    : Number(values.seed)
const mostRepeated = Number(values.repeat ?? 0)
const areNumbers = isPositive(jobs) && isPositive(mostRepeated + 1)
if (values.help || !areNumbers || (seed !== undefined && !Number.isInteger(seed))) {
  console.log(usage)
  process.exit(values.help ? 0 : 1)
}
// What the processes of the test files are told; a setting of the shell would change what a plain run tries.
const env = {
  [fullRunVariable]: values.all ? 'yes' : '',
  [seedVariable]: seed === undefined ? '' : String(seed),
}
const files = await chooseFiles()

if (values.list) {
  for (const { name } of files) console.log(name)
  process.exitCode = files.length > 0 ? 0 : 1
} else await runAll()

async function chooseFiles(): Promise<TestFile[]> {
  const all = await findTestFiles(values.root ?? fileURLToPath(new URL('.', import.meta.url)))
  if (seed !== undefined) {
    const sources = await Promise.all(all.map(({ path }) => readFile(path, 'utf8')))
    const withProperties = all.filter((_, index) => sources[index]?.includes('from "fast-check"'))
    return withProperties.filter(({ name }) => positionals.length === 0 || isNamedBy(positionals, name))
  }
  if (positionals.length > 0) return all.filter(({ name }) => isNamedBy(positionals, name))
  return values.all ? all : all.filter(({ name }) => isListed(name, quickTests, slowTests))
}

async function runAll(): Promise<void> {
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(name, () => {
      process.exitCode = 128 + constants.signals[name]
      stop.abort()
    })
  if (seed !== undefined)
    console.log(`Property tests from seed ${seed}. To repeat: node dist/tests/run.mjs --seed ${seed}\n`)
  if (files.length === 0)
    console.log(`No test file matches: ${positionals.join(' ') || '(nothing is built)'}`)

  const results: FileResult[] = []
  const worker = fileURLToPath(new URL('support/runner/worker.mjs', import.meta.url))
  const runOnce = async (file: TestFile) => {
    // Who measures waits, too. The runner's own tests run the files of another folder, while their run may have the turn.
    const needsTurn = (file.onLan || file.alone) && values.root === undefined
    const giveBack = needsTurn ? await takeLanTurn(stop.signal) : undefined
    const result = await runFile(file, { worker, env, signal: stop.signal })
    await giveBack?.()
    console.log(fileLine(result))
    return result
  }
  const run = async (file: TestFile) => {
    const result = await runOnce(file)
    results.push(result)
    // With one file someone is looking at it, so what it prints is wanted even when it passes.
    if (files.length === 1 && result.failures.length === 0 && result.output !== '') console.log(result.output)
  }
  const together = files.filter(({ alone }) => !alone)
  await inParallel(
    together.filter(({ onLan }) => !onLan),
    jobs,
    stop.signal,
    run,
    together.filter(({ onLan }) => onLan),
  )
  await inParallel(
    files.filter(({ alone }) => alone),
    1,
    stop.signal,
    run,
  )

  const { final, unstable } = await repeatFailures(results, stop.signal.aborted ? 0 : mostRepeated, (name) =>
    runOnce(files.find((file) => file.name === name) as TestFile),
  )
  const closing = [...unstableLines(unstable), ...skippedLines(final)]
  const failures = [
    ...unstable.flatMap((result) => failureLines(result, 'unstable')),
    ...final.flatMap((result) => failureLines(result)),
  ]
  console.log([...failures, ''].join('\n'))
  console.log([...closing, ...(closing.length > 0 ? [''] : []), closingLine(final)].join('\n'))
  process.exitCode ??= exitCodeOf(final)
}

function isPositive(value: number): boolean {
  return Number.isInteger(value) && value > 0
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        all: { type: 'boolean' },
        'random-seeds': { type: 'boolean' },
        seed: { type: 'string' },
        jobs: { type: 'string' },
        repeat: { type: 'string' },
        list: { type: 'boolean' },
        root: { type: 'string' },
        help: { type: 'boolean' },
      },
    })
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${usage}`)
    return process.exit(1)
  }
}
