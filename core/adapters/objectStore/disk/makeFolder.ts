import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { systemCode } from '#core/errors'

/**
 * Makes a folder and its missing parents. Node's own recursion never ends where a file system denies a folder that
 * exists, as /proc does.
 */
export async function makeFolder(path: string): Promise<void> {
  if (await made(path)) return
  const parent = dirname(path)
  if (parent !== path) await makeFolder(parent)
  if (!(await made(path))) throw Object.assign(new Error(`${path} cannot be made`), { code: 'ENOENT' })
}

/** @returns false when the folder above is missing */
async function made(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 })
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return true
    if (systemCode(error) === 'ENOENT') return false
    throw error
  }
}
