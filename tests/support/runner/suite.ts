import { type Callback, type Context, type DeclaredSuite, registry } from './registry'

export * as assert from 'uvu/assert'

type Declare<T> = (name: string, body: Callback<T>) => void

export type Hook<T> = { (body: Callback<T>): void; each(body: Callback<T>): void }

export type Test<T> = Declare<T> & {
  /** Runs this one and skips the rest of the suite; fails where `CI` is set. */
  only: Declare<T>
  /** Named in the closing list of skipped tests. With a body the reason is that someone switched it off. */
  skip(name: string, reasonOrBody?: string | Callback<T>): void
  /** `test.skipUnless(found, 'mediainfo is not installed')('sentence', body)` */
  skipUnless(condition: unknown, reason: string): Declare<T>
  before: Hook<T>
  after: Hook<T>
}

export type SuiteOptions<T> = {
  /** For each test and each hook, on a machine that does nothing else; a busy one has six times as long. Default 20 s. */
  readonly timeoutMs?: number
  /** What every test and hook receives. */
  readonly context?: T
  /** Makes what each test receives instead, anew for each; a test without a parameter is not set up. */
  readonly setUp?: () => T | Promise<T>
  /** Ends what the test received, after a test that has not failed. */
  readonly tearDown?: (parts: T) => unknown
}

// Only what never ends may reach a limit: CI's machine can be several times slower than the one a test was written on.
const PATIENCE = 6

/**
 * uvu's `suite`, run by our own worker once the file has loaded, so that no suite has to be told to: uvu itself forgets a
 * `before` hook that throws, and a suite whose `run()` was not called.
 * Hooks run only when the suite has a test to run. `after` and `after.each` run whatever happened.
 */
export function suite<T = Context>(name: string, options: SuiteOptions<T> = {}): Test<T> {
  const declared: DeclaredSuite = {
    name,
    timeoutMs: (options.timeoutMs ?? 20_000) * PATIENCE,
    context: options.context ?? {},
    tests: [],
    before: [],
    after: [],
    beforeEach: [],
    afterEach: [],
  }
  registry().suites.push(declared)

  const add = (
    test: string,
    body: Callback<T>,
    { only = false, skip }: { only?: boolean; skip?: string } = {},
  ) => {
    registry()
    declared.tests.push({ name: test, only, skip, body: withParts(body, options) })
  }
  const hook = (all: Callback<never>[], each: Callback<never>[]): Hook<T> =>
    Object.assign((body: Callback<T>) => void all.push(body), {
      each: (body: Callback<T>) => void each.push(body),
    })

  return Object.assign((test: string, body: Callback<T>) => add(test, body), {
    only: (test: string, body: Callback<T>) => add(test, body, { only: true }),
    skip: (test: string, reason: string | Callback<T> = 'switched off') =>
      add(test, nothing, { skip: typeof reason === 'string' ? reason : 'switched off' }),
    skipUnless:
      (condition: unknown, reason: string): Declare<T> =>
      (test, body) =>
        condition ? add(test, body) : add(test, nothing, { skip: reason }),
    before: hook(declared.before, declared.beforeEach),
    after: hook(declared.after, declared.afterEach),
  })
}

function withParts<T>(body: Callback<T>, { setUp, tearDown }: SuiteOptions<T>): Callback<T> {
  if (!setUp || body.length === 0) return body
  return async () => {
    const parts = await setUp()
    await body(parts)
    await tearDown?.(parts)
  }
}

function nothing(): void {}
