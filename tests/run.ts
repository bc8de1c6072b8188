import { availableParallelism, constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { closingLine, exitCodeOf, failureLines, fileLine, skippedLines } from '#support/runner/report'
import { type FileResult, runFile } from '#support/runner/runFile'
import { findTestFiles, type TestFile } from '#support/runner/testFiles'

const usage = `npm test -- [words] [--jobs N] [--list]
  words     only the files whose path contains one of them
  --jobs N  files at once (default: one per core and one more, since many wait for sockets)
  --list    name the files and stop
  --root    folder of the built tests (default: dist/tests)`

const { values, positionals } = readArguments()
const jobs = values.jobs === undefined ? availableParallelism() + 1 : Number(values.jobs)
if (values.help || !Number.isInteger(jobs) || jobs < 1) {
  console.log(usage)
  process.exit(values.help ? 0 : 1)
}
const files = await findTestFiles(values.root ?? fileURLToPath(new URL('.', import.meta.url)), positionals)

if (values.list) {
  for (const { name } of files) console.log(name)
  process.exitCode = files.length > 0 ? 0 : 1
} else await runAll()

async function runAll(): Promise<void> {
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(name, () => {
      process.exitCode = 128 + constants.signals[name]
      stop.abort()
    })
  if (files.length === 0)
    console.log(`No test file matches: ${positionals.join(' ') || '(nothing is built)'}`)

  const results: FileResult[] = []
  const worker = fileURLToPath(new URL('support/runner/worker.mjs', import.meta.url))
  const run = async (file: TestFile) => {
    const result = await runFile(file, { worker, signal: stop.signal })
    results.push(result)
    console.log(fileLine(result))
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

  const lines = [...results.flatMap(failureLines), '', ...skippedLines(results)]
  console.log([...lines, ...(lines.at(-1) === '' ? [] : ['']), closingLine(results)].join('\n'))
  process.exitCode ??= exitCodeOf(results)
}

/** @param oneByOne never run beside each other: one lane takes them first */
async function inParallel<T>(
  items: readonly T[],
  limit: number,
  signal: AbortSignal,
  run: (item: T) => Promise<void>,
  oneByOne: readonly T[] = [],
): Promise<void> {
  const work = async (queue: T[]) => {
    for (let item = queue.shift(); item !== undefined && !signal.aborted; item = queue.shift())
      await run(item)
  }
  const queue = [...items]
  const lane = async (_: unknown, index: number) => {
    if (index === 0) await work([...oneByOne])
    await work(queue)
  }
  await Promise.all(Array.from({ length: limit }, lane))
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        jobs: { type: 'string' },
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
