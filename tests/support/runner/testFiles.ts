import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** The long ones first, so that the many short ones fill what is left of every core. */
export const testGroups = ['simulator', 'flows', 'contract', 'scenarios', 'unit', 'architecture'] as const

export type TestFile = {
  /** `unit/media/session` */
  readonly name: string
  readonly path: string
  /** Measures time or memory, so no other file may run beside it: `….alone.test.ts`. */
  readonly alone: boolean
  /** Game servers announced on loopback are seen by every test: such files do not run beside each other: `….lan.test.ts`. */
  readonly onLan: boolean
}

/** The built test files below `root`, group by group. */
export async function findTestFiles(root: string): Promise<TestFile[]> {
  const ending = '.test.mjs'
  const groups = await Promise.all(
    testGroups.map(async (group) => {
      const paths = await readdir(join(root, group), { recursive: true }).catch((): string[] => [])
      return paths
        .filter((path) => path.endsWith(ending))
        .map((path) => ({
          name: `${group}/${path.slice(0, -ending.length).replaceAll('\\', '/')}`,
          path: join(root, group, path),
          alone: path.endsWith(`.alone${ending}`),
          onLan: path.endsWith(`.lan${ending}`),
        }))
        .sort((a, b) => (a.name < b.name ? -1 : 1))
    }),
  )
  return groups.flat()
}

/** Whether a file's name contains one of the words. */
export function isNamedBy(words: readonly string[], name: string): boolean {
  return words.some((word) => name.toLowerCase().includes(word.toLowerCase()))
}

/**
 * Whether a file belongs to a list of files and folders, less those of a second list. Of two entries that name it the
 * longer one counts.
 */
export function isListed(name: string, listed: readonly string[], excepted: readonly string[]): boolean {
  const longest = (entries: readonly string[]) =>
    Math.max(
      ...entries
        .filter((entry) => name === entry || name.startsWith(`${entry}/`))
        .map(({ length }) => length),
      0,
    )
  return longest(listed) > longest(excepted)
}
