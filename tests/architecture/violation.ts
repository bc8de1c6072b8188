/** Paths from the top of the project (`core/errors.ts`) and the sources in them. */
export type SourceTree = ReadonlyMap<string, string>

export type Violation = {
  /** 1 to 8 as in docs/architecture.md; the others are habits that reviews would have to watch otherwise. */
  readonly rule: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 'globals' | 'habits' | 'uvu'
  readonly file: string
  readonly line: number
  readonly problem: string
}
