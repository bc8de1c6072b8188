/** What the process of a test file tells the runner, as it happens. */
export type Told = {
  readonly kind: 'passed' | 'failed' | 'skipped' | 'suite' | 'suite run' | 'ended'
  /** `suite > test`; what a failure says is in the output. */
  readonly name: string
  /** Why it was skipped. */
  readonly reason?: string
  /** What the whole file took, when it has ended. */
  readonly cpuSeconds?: number
}

export const LOAD_FAILURE = '(file) does not load'
