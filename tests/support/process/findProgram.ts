import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * Where a program of this machine lies, for tests that need it:
 * `test.skipUnless(findProgram('mediainfo'), 'mediainfo is not installed')('sentence', body)`.
 */
export function findProgram(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
