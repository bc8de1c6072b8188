import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '#core/errors'

/**
 * The names of the files of a folder, in order. Folders, and what vanishes meanwhile, are left out.
 * @throws ServiceError `not-found` when there is no such folder, or it cannot be read
 */
export async function listFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new ServiceError('not-found', 'There is no such folder, or it cannot be read.', { cause })
  })
  const files = await Promise.all(
    names.sort().map(async (name) => {
      const found = await stat(join(folder, name)).catch(() => undefined)
      return found?.isFile() ? [name] : []
    }),
  )
  return files.flat()
}
