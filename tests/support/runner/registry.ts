/** What test files declare and the worker runs. It lives on `globalThis` because every test file is a bundle of its own. */

export type Context = Record<string, unknown>
export type Callback<T> = (context: T) => void | Promise<void>

export type DeclaredTest = {
  readonly name: string
  readonly only: boolean
  /** Why it does not run. */
  readonly skip: string | undefined
  // `never` accepts every suite's own context type; `runSuite` passes back the context of the same suite.
  readonly body: Callback<never>
}

export type DeclaredSuite = {
  readonly name: string
  readonly timeoutMs: number
  readonly context: unknown
  readonly tests: DeclaredTest[]
  readonly before: Callback<never>[]
  readonly after: Callback<never>[]
  readonly beforeEach: Callback<never>[]
  readonly afterEach: Callback<never>[]
}

export type Registry = { readonly suites: DeclaredSuite[]; open: boolean }

const key = Symbol.for('tests.registry')
const shared = globalThis as { [key]?: Registry }

/** Called once by the worker, before it loads the test file. */
export function openRegistry(): Registry {
  const registry: Registry = { suites: [], open: true }
  shared[key] = registry
  return registry
}

export function registry(): Registry {
  const found = shared[key]
  if (!found)
    throw new Error('A test file does nothing by itself. Run it with: npm test -- <words of its path>')
  if (!found.open) throw new Error('Suites and tests are declared while the file loads, not later.')
  return found
}
