import type { WorkerMessage } from './messages'
import type { Callback, DeclaredSuite, DeclaredTest } from './registry'

/** Runs one step (a test, a hook) and resolves with what went wrong, if anything. Never rejects. */
export type RunStep = (
  name: string,
  timeoutMs: number,
  step: () => void | Promise<void>,
) => Promise<Failure | undefined>

export type Failure = { readonly error: unknown }

/**
 * Runs a suite's hooks and tests in order, reporting each test once.
 * A `before` hook that fails is itself the failure; the suite's tests are then not run.
 */
export async function runSuite(
  suite: DeclaredSuite,
  deps: {
    readonly runStep: RunStep
    readonly report: (message: WorkerMessage) => void
    readonly describe: (error: unknown) => string
  },
): Promise<void> {
  const { report, describe } = deps
  const path = (name: string) => (suite.name === '' ? name : `${suite.name} > ${name}`)
  const fail = (name: string, { error }: Failure) => report({ kind: 'failed', name, text: describe(error) })
  const step = (name: string, body: Callback<never>) =>
    deps.runStep(name, suite.timeoutMs, () => body(suite.context as never))

  if (suite.tests.length === 0) return fail(path('(suite)'), { error: 'This suite has no tests.' })

  const { chosen, skipped } = choose(suite.tests)
  for (const { name, reason } of skipped) report({ kind: 'skipped', name: path(name), reason })
  if (chosen.length === 0) return

  const broken = await firstFailure(suite.before, (hook) => step(path('before'), hook))
  if (broken) fail(path(`before (so ${chosen.length} tests did not run)`), broken)
  else for (const test of chosen) await runTest(test)
  for (const hook of suite.after) {
    const failure = await step(path('after'), hook)
    if (failure) fail(path('after'), failure)
  }

  async function runTest(test: DeclaredTest): Promise<void> {
    const failures = [
      (await firstFailure(suite.beforeEach, (hook) => step(path(`${test.name} (before each)`), hook))) ??
        (await step(path(test.name), test.body)),
    ]
    for (const hook of suite.afterEach) failures.push(await step(path(`${test.name} (after each)`), hook))
    const texts = failures.flatMap((failure) => (failure ? [describe(failure.error)] : []))
    if (texts.length === 0) report({ kind: 'passed', name: path(test.name) })
    else report({ kind: 'failed', name: path(test.name), text: texts.join('\n') })
  }
}

function choose(tests: readonly DeclaredTest[]) {
  const anyOnly = tests.some((test) => test.only)
  const reasonOf = (test: DeclaredTest) =>
    test.skip ?? (anyOnly && !test.only ? 'another test has .only' : undefined)
  return {
    chosen: tests.filter((test) => reasonOf(test) === undefined),
    skipped: tests.flatMap((test) => {
      const reason = reasonOf(test)
      return reason === undefined ? [] : [{ name: test.name, reason }]
    }),
  }
}

async function firstFailure(
  hooks: readonly Callback<never>[],
  run: (hook: Callback<never>) => Promise<Failure | undefined>,
): Promise<Failure | undefined> {
  for (const hook of hooks) {
    const failure = await run(hook)
    if (failure) return failure
  }
  return undefined
}
