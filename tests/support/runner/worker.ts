import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describeError } from './describeError'
import { exitGraceMs, type WorkerMessage } from './messages'
import { killMarked, markVariable } from './processes'
import { type DeclaredSuite, openRegistry } from './registry'
import { type Failure, type RunStep, runSuite } from './runSuite'

// The process of one test file: `worker.mjs <built test file>`, started by the runner with a channel.

// Taken now: a test may put a clock of its own in their place.
const { setTimeout, clearTimeout } = globalThis
const loadTimeoutMs = 180_000
const [, , file = ''] = process.argv
const mark = process.env[markVariable]?.split(',').at(-1) ?? ''
const inCi = process.env.CI === 'true' || process.env.CI === '1'

let interrupt: ((failure: Failure) => void) | undefined

const report = (message: WorkerMessage) => void process.send?.(message)
const describe = (error: unknown) => (typeof error === 'string' ? error : describeError(error, process.cwd()))
const fail = (name: string, text: string) => report({ kind: 'failed', name, text })

// Also called for a rejection that nobody handles.
process.on('uncaughtException', (error, origin) => {
  if (interrupt) interrupt({ error })
  else fail(`(${origin} between tests)`, describe(error))
})

// The runner is gone, so nobody else would end this process and those it has started.
process.on('disconnect', () => void killMarked(mark, process.pid))
process.channel?.unref()

const heldBefore = heldResources()
const registry = openRegistry()
report({ kind: 'started', name: '(loading the file)', timeoutMs: loadTimeoutMs })
const loadFailure = await import(pathToFileURL(resolve(file)).href).then(
  () => undefined,
  (error: unknown): Failure => ({ error }),
)
registry.open = false

if (loadFailure) fail('(loading the file)', describe(loadFailure.error))
else await runAll(registry.suites)

report({ kind: 'done' })
setTimeout(reportHeldResources, exitGraceMs).unref()

async function runAll(suites: readonly DeclaredSuite[]): Promise<void> {
  if (suites.length === 0) fail('(file)', 'This file declares no suite.')
  for (const suite of suites) {
    await runSuite(suite, { runStep, report, describe })
    if (inCi)
      for (const { name, only } of suite.tests)
        if (only) fail(`${suite.name} > ${name}`, '`.only` was left in; without it the whole suite runs.')
  }
}

function runStep(...[name, timeoutMs, step]: Parameters<RunStep>): ReturnType<RunStep> {
  report({ kind: 'started', name, timeoutMs })
  return new Promise((settle) => {
    const end = (failure?: Failure) => {
      clearTimeout(timer)
      interrupt = undefined
      settle(failure)
    }
    const timer = setTimeout(
      () => end({ error: `Timed out: "${name}" did not end within ${timeoutMs / 1000} s.` }),
      timeoutMs,
    )
    interrupt = end
    // Begun in a promise, so that a step which throws at once is no different from one that rejects.
    Promise.resolve()
      .then(step)
      .then(
        () => end(),
        (error: unknown) => end({ error }),
      )
  })
}

function reportHeldResources(): void {
  const left = [...heldBefore]
  const resources = heldResources().filter((type) => {
    const index = left.indexOf(type)
    if (index >= 0) left.splice(index, 1)
    return index < 0
  })
  process.send?.({ kind: 'held', resources } satisfies WorkerMessage, () => process.exit())
}

function heldResources(): string[] {
  // Reading the two makes Node open them now rather than in the middle of a test.
  return process.stdout && process.stderr ? process.getActiveResourcesInfo() : []
}
