import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemCode } from '@lantern-room/base'

/**
 * Writes a file that only this user may read. It appears whole, and its folder is created if it is missing.
 * @throws the system's error; then an older file of the name is as it was
 */
export async function writeOwnFile(path: string, text: string): Promise<void> {
  await writeBeside(
    path,
    async () => text,
    (temporary) => rename(temporary, path),
  )
}

/**
 * The bytes of a file that only this user may read. If it is missing, its folder is created, and the file with what `make`
 * returns. It appears whole: of two programs that start at the same time neither reads half of it, and both read the same.
 * @throws the system's error when it can be neither read nor written
 */
export async function readOrCreateOwnFile(
  path: string,
  make: () => Promise<string | Uint8Array>,
): Promise<Buffer> {
  const old = await readIfPresent(path)
  if (old && old.length > 0) return old
  // A machine that lost its power can leave an empty file.
  const put = (temporary: string) => (old ? rename(temporary, path) : linkIfAbsent(temporary, path))
  await writeBeside(path, make, put)
  return readFile(path)
}

/** A file's bytes; undefined when there is none, or none that this user may read. @throws the system's other errors */
export async function readIfPresent(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path)
  } catch (error) {
    if (['ENOENT', 'EACCES', 'ENOTDIR'].includes(systemCode(error) ?? '')) return undefined
    throw error
  }
}

/** @param put gives the file that was written beside `path` its name; what is left of it is removed */
async function writeBeside(
  path: string,
  make: () => Promise<string | Uint8Array>,
  put: (temporary: string) => Promise<void>,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    await writeFile(temporary, await make(), { mode: 0o600, flag: 'wx' })
    await put(temporary)
  } finally {
    await rm(temporary, { force: true })
  }
}

/** Much longer than from finding that there is no file to creating it. */
const SETTLED_MS = 100

/** Where there are no hard links, as on sticks, the last of several programs that create the file at the same time counts for all of them. */
async function linkIfAbsent(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return
    await rename(from, to)
    await sleep(SETTLED_MS)
  }
}
