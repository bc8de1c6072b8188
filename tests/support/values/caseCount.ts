/** Set by the runner where every test runs: `npm run test:all`. */
export const fullRunVariable = 'TESTS_RUN_IN_FULL'

/**
 * How many cases a long test tries. The cases are the same in every run: the quick ones are the first of all.
 * @param quick in `npm test`
 * @param all in `npm run test:all`
 */
export function caseCount(quick: number, all: number): number {
  return process.env[fullRunVariable] ? all : quick
}
