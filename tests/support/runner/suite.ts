import { inspect } from 'node:util'
import { type Callback, suite as uvuSuite } from 'uvu'
import { fail, outcome } from './outcome'

export * as assert from 'uvu/assert'

type Declare<T> = (name: string, body: Callback<T>) => void
type Hook<T> = { (body: Callback<T>): void; each(body: Callback<T>): void }

/** uvu's suite, with reasons for what is skipped. */
export type Test<T> = Declare<T> & {
  only: Declare<T>
  skip(name: string, reason: string): void
  /** `test.skipUnless(found, 'mediainfo is not installed')('sentence', body)` */
  skipUnless(condition: unknown, reason: string): Declare<T>
  before: Hook<T>
  after: Hook<T>
  /** To be called at the end of the file, as uvu demands. */
  run(): void
}

export type SuiteOptions<T> = {
  /** For each test and each hook, on an idle machine; a busy one has six times as long. Default 20 s. */
  readonly timeoutMs?: number
  /** Makes what each test receives, anew for each; a test without a parameter is not set up. */
  readonly setUp?: () => T | Promise<T>
  /** Ends what the test received, after a test that has not failed. */
  readonly tearDown?: (parts: T) => unknown
}

/** Set where one failure says enough: what is declared after it does not run. */
export const endsAtFailureVariable = 'TESTS_END_AT_FAILURE'
const endsAtFailure = process.env[endsAtFailureVariable] === 'yes'
/** Only what never ends may reach a limit: another machine can be several times slower. */
const PATIENCE = endsAtFailure ? 2 : 6
// Taken now: a test may put a clock of its own in their place.
const { setTimeout, clearTimeout } = globalThis

/** A suite that uvu runs. Added are time limits, parts for each test, and failures of hooks, which uvu forgets. */
export function suite<T = Record<string, unknown>>(title: string, options: SuiteOptions<T> = {}): Test<T> {
  const { setUp, tearDown, timeoutMs = 20_000 } = options
  const uvu = uvuSuite<T>(title)
  const before: Callback<T>[] = []
  let declared = 0
  let hasRun = false
  outcome.suitesNotRun.add(title)

  const test: Declare<T> = (name, body) => declare(uvu, name, body)
  const skip = (name: string, reason: string) =>
    void outcome.skipped.push({ name: `${title} > ${name}`, reason })
  return Object.assign(test, {
    only(name: string, body: Callback<T>) {
      declare(uvu.only, name, body)
      if (process.env.CI) fail(`${title} > ${name}`, '`.only` was left in; without it the whole suite runs.')
    },
    skip,
    skipUnless: (condition: unknown, reason: string) =>
      condition ? test : (name: string) => skip(name, reason),
    before: Object.assign((body: Callback<T>) => void before.push(body), {
      each: (body: Callback<T>) => uvu.before.each(hook('(before each)', body, true)),
    }),
    after: Object.assign((body: Callback<T>) => uvu.after(hook('after', body, false)), {
      each: (body: Callback<T>) => uvu.after.each(hook('(after each)', body, false)),
    }),
    run() {
      hasRun = true
      outcome.suitesNotRun.delete(title)
      // uvu would run them for a suite without tests, too.
      if (declared === 0) return
      for (const body of before) uvu.before(hook(`before (so ${declared} tests did not run)`, body, true))
      uvu.run()
    },
  })

  function declare(to: Declare<T>, name: string, body: Callback<T>): void {
    if (hasRun) throw new Error(`"${name}" was declared after the suite's run().`)
    declared += 1
    to(name, async (context) => {
      if (endsAtFailure && outcome.failures.length > 0) return
      await within(`${title} > ${name}`, () => withParts(body, context))
      outcome.passed += 1
    })
  }

  async function withParts(body: Callback<T>, context: Parameters<Callback<T>>[0]): Promise<void> {
    if (!setUp || body.length === 0) return body(context)
    const parts = await setUp()
    await body(parts as typeof context)
    await tearDown?.(parts)
  }

  /** @param rethrows for uvu to leave out the test, or all of them; after a failure of other hooks it would end without a word */
  function hook(what: string, body: Callback<T>, rethrows: boolean): Callback<T> {
    return (context) =>
      within([title, context.__test__, what].filter(Boolean).join(' > '), () => body(context)).catch(
        (error) => {
          console.error(error)
          if (rethrows) throw error
        },
      )
  }

  async function within(name: string, step: () => unknown): Promise<void> {
    const limitMs = timeoutMs * PATIENCE
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Error(`"${name}" did not end within ${limitMs / 1000} s.`)),
        limitMs,
      )
    })
    try {
      await Promise.race([Promise.resolve().then(step), timeout])
    } catch (error) {
      outcome.failures.push(name)
      throw error instanceof Error ? error : new Error(inspect(error))
    } finally {
      clearTimeout(timer)
    }
  }
}
