/** Paths from the top of the project (`core/errors.ts`) and the sources in them. */
export type SourceTree = ReadonlyMap<string, string>

export type Violation = {
  /** 1 to 6 as in docs/architecture.md; `globals` and `uvu` are habits of this house. */
  readonly rule: 1 | 2 | 3 | 4 | 5 | 6 | 'globals' | 'uvu'
  readonly file: string
  readonly line: number
  readonly problem: string
}
