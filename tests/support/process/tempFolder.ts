import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from '../runner/suite'

/**
 * A new, empty folder.
 * @param name how its own name begins
 * @param below on another disk, for example
 */
export function makeTempFolder(name: string, below = tmpdir()): Promise<string> {
  return mkdtemp(join(below, `${name}-`))
}

/** Removes folders with all that is in them; one that is not there is fine. */
export async function removeFolders(...folders: readonly string[]): Promise<void> {
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })))
}

/** Works in a new folder, which is removed whatever becomes of the work. */
export async function inTempFolder<T>(
  name: string,
  work: (folder: string) => Promise<T>,
  below = tmpdir(),
): Promise<T> {
  const folder = await makeTempFolder(name, below)
  try {
    return await work(folder)
  } finally {
    await removeFolders(folder)
  }
}

/** Makes a folder before each test of a suite, and removes it after the test. @returns the path of the present one */
export function folderOfEachTest<T>(test: Test<T>, name: string): () => string {
  let folder = ''
  test.before.each(async () => {
    folder = await makeTempFolder(name)
  })
  test.after.each(() => removeFolders(folder))
  return () => folder
}

/** A folder for the tests of a file, removed when its process ends: hooks of a suite of which every test is skipped do not run. */
export async function folderOfSuite(name: string): Promise<string> {
  const folder = await makeTempFolder(name)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
