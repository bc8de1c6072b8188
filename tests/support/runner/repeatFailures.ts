import type { FileResult } from './runFile'

/**
 * Runs every file that failed once more, one at a time, after all others: a test that fails only while the machine is busy is told
 * from one that is broken. With more than `most` such files nothing is repeated, because then it is not chance.
 * @returns the results, the second ones in place of the first, and the first ones of files that passed the second time
 */
export async function repeatFailures(
  results: readonly FileResult[],
  most: number,
  repeat: (name: string) => Promise<FileResult>,
): Promise<{ readonly final: readonly FileResult[]; readonly unstable: readonly FileResult[] }> {
  const failed = results.filter(hasFailed)
  if (failed.length > most) return { final: results, unstable: [] }
  const second = new Map<string, FileResult>()
  for (const { name } of failed) second.set(name, await repeat(name))
  const hasPassed = ({ name }: FileResult) => !hasFailed(second.get(name) as FileResult)
  return {
    final: results.map((result) => second.get(result.name) ?? result),
    unstable: failed.filter(hasPassed),
  }
}

export function hasFailed({ failures }: FileResult): boolean {
  return failures.length > 0
}
