import { inspect } from 'node:util'
import { type Callback, type Test as UvuTest, suite as uvuSuite } from 'uvu'
import type { Told } from './told'

export * as assert from 'uvu/assert'

type Declare<T> = (name: string, body: Callback<T>) => void

/** uvu's suite, whose `run` is to be called at the end of the file, with reasons for what is skipped. */
export type Test<T> = Declare<T> &
  Pick<UvuTest<T>, 'only' | 'before' | 'after' | 'run'> & {
    skip(name: string, reason: string): void
    /** `test.skipUnless(found, 'mediainfo is not installed')('sentence', body)` */
    skipUnless(condition: unknown, reason: string): Declare<T>
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
/** The name of the one test to run, where that is known to be enough. */
export const onlyTestVariable = 'TESTS_ONLY'
const onlyTest = process.env[onlyTestVariable]
/** Only what never ends may reach a limit: another machine can be several times slower. */
const PATIENCE = endsAtFailure ? 0.5 : 6
// Taken now: a test may put a clock of its own in their place.
const { setTimeout, clearTimeout } = globalThis
const tell = (message: Told) => void process.send?.(message)
let hasFailed = false

/** A suite that uvu runs. Added are time limits, parts for each test, and failures of hooks, which uvu forgets. */
export function suite<T = Record<string, unknown>>(title: string, options: SuiteOptions<T> = {}): Test<T> {
  const { setUp, tearDown, timeoutMs = 20_000 } = options
  const uvu = uvuSuite<T>(title)
  const before: Callback<T>[] = []
  let declared = 0
  let hasRun = false
  tell({ kind: 'suite', name: title })

  const test: Declare<T> = (name, body) => declare(uvu, name, body)
  const skip = (name: string, reason: string) => tell({ kind: 'skipped', name: `${title} > ${name}`, reason })
  return Object.assign(test, {
    only(name: string, body: Callback<T>) {
      declare(uvu.only, name, body)
      if (!process.env.CI) return
      console.error('`.only` was left in; without it the whole suite runs.')
      tell({ kind: 'failed', name: `${title} > ${name}` })
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
      tell({ kind: 'suite run', name: title })
      // uvu would run them for a suite without tests, too.
      if (declared === 0) return
      for (const body of before) uvu.before(hook(`before (so ${declared} tests did not run)`, body, true))
      uvu.run()
    },
  })

  function declare(to: Declare<T>, name: string, body: Callback<T>): void {
    if (hasRun) throw new Error(`"${name}" was declared after the suite's run().`)
    if (onlyTest !== undefined && name !== onlyTest) return
    declared += 1
    to(name, async (context) => {
      if (endsAtFailure && hasFailed) return
      await within(`${title} > ${name}`, timeoutMs, async () => {
        if (!setUp || body.length === 0) return body(context)
        const parts = await setUp()
        await body(parts as typeof context)
        await tearDown?.(parts)
      })
      tell({ kind: 'passed', name })
    })
  }

  /** @param rethrows for uvu to leave out the test, or all of them; after a failure of other hooks it would end without a word */
  function hook(what: string, body: Callback<T>, rethrows: boolean): Callback<T> {
    return async (context) => {
      const name = [title, context.__test__, what].filter(Boolean).join(' > ')
      await within(name, timeoutMs, () => body(context)).catch((error) => {
        console.error(error)
        if (rethrows) throw error
      })
    }
  }
}

/** Tells a failure of the step, or that it did not end in time, and throws it. */
async function within(name: string, timeoutMs: number, step: () => unknown): Promise<void> {
  const limitMs = timeoutMs * PATIENCE
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    const late = new Error(`"${name}" did not end within ${limitMs / 1000} s.`)
    timer = setTimeout(() => reject(late), limitMs)
  })
  try {
    await Promise.race([Promise.resolve().then(step), timeout])
  } catch (error) {
    hasFailed = true
    tell({ kind: 'failed', name })
    throw error instanceof Error ? error : new Error(inspect(error))
  } finally {
    clearTimeout(timer)
  }
}
