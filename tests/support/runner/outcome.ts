/** What happened in the process of a test file, for the runner. */
export type Outcome = {
  passed: number
  /** `suite > test`; what it says is in the output. */
  readonly failures: string[]
  readonly skipped: { readonly name: string; readonly reason: string }[]
  readonly suitesNotRun: Set<string>
}

const KEY = Symbol.for('outcome of a test file')
const all = globalThis as { [KEY]?: Outcome }

/** It lives on `globalThis`: the worker and the test file are bundled with a copy of this module each. */
export const outcome: Outcome = all[KEY] ?? { passed: 0, failures: [], skipped: [], suitesNotRun: new Set() }
all[KEY] = outcome

/** Counts a failure that no test of uvu stands for. */
export function fail(name: string, reason: string): void {
  console.error(`${name}: ${reason}`)
  outcome.failures.push(name)
}
