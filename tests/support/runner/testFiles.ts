import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

export const testGroups = ['unit', 'scenarios', 'architecture', 'contract', 'simulator', 'flows'] as const

export type TestFile = {
  /** `unit/media/session` */
  readonly name: string
  readonly path: string
  /** Measures time or memory, so no other file may run beside it: `….alone.test.ts`. */
  readonly alone: boolean
  /** Worlds on the LAN of this machine are heard by all: such files do not run beside each other: `….lan.test.ts`. */
  readonly onLan: boolean
}

/**
 * The built test files below `root`, group by group.
 * @param words a file is taken when its name contains one of them, or when there are none
 */
export async function findTestFiles(root: string, words: readonly string[]): Promise<TestFile[]> {
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
  const isWanted = (name: string) =>
    words.length === 0 || words.some((word) => name.toLowerCase().includes(word.toLowerCase()))
  return groups.flat().filter(({ name }) => isWanted(name))
}
