import type { FileResult } from './runFile'

/** One line for a finished file. */
export function fileLine({ name, passed, failures, skipped, durationMs }: FileResult): string {
  const counts = countsOf(passed, failures.length, skipped.length)
  return `${failures.length > 0 ? 'FAIL' : ' ok '}  ${name}  ${counts}  ${(durationMs / 1000).toFixed(1)} s`
}

/** Every failure in full, then what the file's process printed. */
export function failureLines(
  { name, failures, output }: FileResult,
  word: 'FAIL' | 'unstable' = 'FAIL',
): string[] {
  if (failures.length === 0) return []
  return [
    ...failures.flatMap((failure) => ['', `${word}  ${name} > ${failure.name}`, ...indent(failure.text)]),
    ...(output.trim() === '' ? [] : ['', `      output of ${name}`, ...indent(output.trimEnd())]),
  ]
}

/** The skipped tests by name and reason. */
export function skippedLines(results: readonly FileResult[]): string[] {
  return results.flatMap(({ name, skipped }) =>
    skipped.map((test) => `skip  ${name} > ${test.name}: ${test.reason}`),
  )
}

/** The tests that failed in a run and passed in the next one. */
export function unstableLines(results: readonly FileResult[]): string[] {
  return results.flatMap(({ name, failures }) =>
    failures.map((test) => `unstable  ${name} > ${test.name}: passed when its file ran again, alone`),
  )
}

/** The last line: `N passed, N failed`, and `, N skipped` when there are any. */
export function closingLine(results: readonly FileResult[]): string {
  const sum = (count: (result: FileResult) => number) =>
    results.reduce((total, result) => total + count(result), 0)
  const skipped = sum((result) => result.skipped.length)
  const line = `${sum((result) => result.passed)} passed, ${sum((result) => result.failures.length)} failed`
  return skipped > 0 ? `${line}, ${skipped} skipped` : line
}

/** @returns 0 only when something ran and nothing failed */
export function exitCodeOf(results: readonly FileResult[]): 0 | 1 {
  const anyPassed = results.some(({ passed }) => passed > 0)
  return anyPassed && results.every(({ failures }) => failures.length === 0) ? 0 : 1
}

function countsOf(passed: number, failed: number, skipped: number): string {
  return [`${passed} passed`, failed > 0 && `${failed} failed`, skipped > 0 && `${skipped} skipped`]
    .filter((part) => part !== false)
    .join(', ')
}

function indent(text: string): string[] {
  return text.split('\n').map((line) => (line === '' ? line : `      ${line}`))
}
