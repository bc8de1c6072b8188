/** Paths from the top of the project (`core/base/errors.ts`), the sources in them, and the `package.json` of each package. */
export type SourceTree = ReadonlyMap<string, string>

export type Violation = {
  /**
   * `imports`: a package imports what it declares, nothing deeper. `door`: a test that is no unit test of a package reaches into it.
   * The others are what reviews would have to watch otherwise.
   */
  readonly rule: 'imports' | 'door' | 'cycles' | 'globals' | 'environment' | 'habits' | 'uvu'
  readonly file: string
  readonly line: number
  readonly problem: string
}
