import * as fc from 'fast-check'

/** A seed for a run on other cases than the fixed ones: a number, or `random`. */
const seedVariable = 'PROPERTY_SEED'
const fixedSeed = 1
const defaultCases = 100
/** A run on a random seed tries more: it is there to find what the fixed seed does not. */
const randomSeedFactor = 10

type Options = {
  /** How many cases are tried on the fixed seed; default 100. */
  readonly numRuns?: number
}

/**
 * Tries a property of fast-check, the only way in which tests do so: on a fixed seed, or on the one
 * that the environment names: `PROPERTY_SEED=random npm test -- unit`.
 * @throws the smallest case that fails, and how to try it again
 */
export function assertProperty<Ts>(property: fc.IAsyncProperty<Ts>, options?: Options): Promise<void>
export function assertProperty<Ts>(property: fc.IProperty<Ts>, options?: Options): void
export function assertProperty<Ts>(
  property: fc.IRawProperty<Ts>,
  { numRuns = defaultCases }: Options = {},
): Promise<void> | void {
  const given = process.env[seedVariable]
  const parameters = given
    ? { seed: given === 'random' ? Date.now() : Number(given), numRuns: numRuns * randomSeedFactor }
    : { seed: fixedSeed, numRuns }
  const details: fc.RunDetails<Ts> | Promise<fc.RunDetails<Ts>> = fc.check(property, parameters)
  return details instanceof Promise ? details.then(throwFailure) : throwFailure(details)
}

function throwFailure<Ts>(details: fc.RunDetails<Ts>): void {
  if (!details.failed) return
  const setting = process.env[seedVariable] ? `${seedVariable}=${details.seed} ` : ''
  throw new Error(
    `${fc.defaultReportMessage(details)}\nTo repeat: ${setting}npm test -- <words of this file's path>`,
    { cause: details.errorInstance },
  )
}
