import { posix } from 'node:path'
import { findCycles } from './cycles'

/**
 * Cycles between folders of the product. A file that lies directly in a root (`core/easytier/network.ts`) stands for itself:
 * it composes the folders beside it, and they may use what is as small as `core/easytier/random.ts`.
 * @param graph for every file, the files that it imports
 */
export function findFolderCycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const folders = new Map<string, Set<string>>()
  for (const [file, targets] of graph) {
    const from = placeOf(file)
    if (from === undefined) continue
    for (const target of targets) {
      const to = placeOf(target)
      if (to === undefined || to === from) continue
      folders.set(from, (folders.get(from) ?? new Set()).add(to))
    }
  }
  const cycles = findCycles(new Map([...folders].map(([folder, targets]) => [folder, [...targets]])))
  // A cycle of files alone is found as such.
  return cycles.filter((cycle) => cycle.some((place) => !place.endsWith('.ts')))
}

const roots = new Set([
  'core/base',
  'core/clients',
  'core/easytier',
  'core/formats',
  'core/game',
  'core/media',
  'core/mp4',
  'core/player',
  'core/protocol',
  'core/room',
  'core/routers',
  'core/takeout',
  'core/adapters',
  'handlers',
  'local-runner',
  'local-runner/room',
])

/** The folder of a product file, or the file itself where it lies in a root; undefined for tests. */
export function placeOf(file: string): string | undefined {
  if (!/^(core|handlers|local-runner)\//.test(file)) return undefined
  const folder = posix.dirname(file)
  return roots.has(folder) ? file : folder
}
