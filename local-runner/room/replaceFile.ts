import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@lantern-room/base'
import { ServiceError, systemCode } from '@lantern-room/base'
import type { RoomConfig } from '@lantern-room/room'
import { createKeptNodes } from '@lantern-room/room'
import type { TextStore } from '@lantern-room/room/ports'

/** A file that another program holds open: Windows refuses to rename over it or to remove it. A mounted file is EBUSY, too. */
const HELD: ReadonlySet<string> = new Set(['EPERM', 'EACCES', 'EBUSY'])
/** Programs that read a file, and virus scanners, are done with it after this time. */
const PAUSES_MS = [20, 50, 100, 200] as const

const nodeFiles = {
  writeFile: (path: string, text: string) => writeFile(path, text),
  rename: (from: string, to: string) => rename(from, to),
  remove: (path: string) => rm(path, { force: true }),
  pause: (ms: number) => sleep<void>(ms),
}

export type ReplacingFiles = typeof nodeFiles

/** For files that only this user may read. */
export const ownFiles: ReplacingFiles = {
  ...nodeFiles,
  writeFile: (path, text) => writeFile(path, text, { mode: 0o600 }),
}

/**
 * Writes a file that appears whole. If another program holds the file open for longer than a third of a second, its
 * content is overwritten in place.
 * @returns whether that succeeded: a program can also hold a file so that nobody else may write it
 * @throws the system's error when the file cannot be written for another reason
 */
export async function replaceFile(path: string, text: string, files = nodeFiles): Promise<boolean> {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    await files.writeFile(temporary, text)
    const held = await whileHeld(() => files.rename(temporary, path), files)
    return !held || !(await whileHeld(() => files.writeFile(path, text), files))
  } finally {
    await files.remove(temporary).catch(() => undefined)
  }
}

/** Removes a file; one that another program holds open for longer than a third of a second stays. */
export async function removeFile(path: string, files = nodeFiles): Promise<void> {
  await whileHeld(() => files.remove(path), files)
}

/** Tries again while the file is held. @returns whether it still is */
async function whileHeld(act: () => Promise<void>, { pause }: ReplacingFiles): Promise<boolean> {
  for (const ms of [...PAUSES_MS, undefined]) {
    try {
      await act()
      return false
    } catch (error) {
      if (!HELD.has(systemCode(error) ?? '')) throw error
    }
    if (ms !== undefined) await pause(ms)
  }
  return true
}

/** @param folder which one, as the beginning of a sentence */
export function unusableFolder(folder: string, cause: unknown): ServiceError {
  const isFull = ['ENOSPC', 'EDQUOT'].includes(systemCode(cause) ?? '')
  const remedy = isFull ? 'The disk is full: make room on it' : 'Give this user the right to write'
  return new ServiceError(
    'unavailable',
    `${folder} cannot be used. ${remedy}, or set DATA_DIR to another folder.`,
    { cause },
  )
}

const MAX_BYTES = 1_000_000

/** A text in a file that only this user may read. A new text takes the place of the old one as a whole. */
export function createTextFile(path: string): TextStore {
  return {
    read: () => readText(path),
    async write(text) {
      await removeLeftovers(path).catch(() => undefined)
      if (!(await replaceFile(path, text, ownFiles))) throw new Error('another program holds the file')
    },
    remove: () => removeFile(path),
  }
}

/** No program takes so long to write a text. */
const LEFT_OVER_MS = 60_000

/** Removes what programs have left beside a file that were killed while they wrote it. */
async function removeLeftovers(path: string): Promise<void> {
  const names = (await readdir(dirname(path))).filter(
    (name) => name.startsWith(`${basename(path)}.`) && name.endsWith('.tmp'),
  )
  for (const name of names) {
    const file = join(dirname(path), name)
    if (Date.now() - (await stat(file)).mtimeMs > LEFT_OVER_MS) await rm(file, { force: true })
  }
}

/** @throws Error when there is something else, which may be endless or wait for a writer, or it cannot be read */
async function readText(path: string): Promise<string | undefined> {
  const found = await stat(path).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw error
  })
  if (!found) return undefined
  if (found.isFile() && found.size <= MAX_BYTES) return readFile(path, 'utf8')
  throw new Error('it is no text of this program')
}

/** Services and commands do not go back to each other's rooms. */
export type KeptFor = 'service' | 'command'

/**
 * The file of the room that comes back after a restart. Programs that run at the same time are players of their own, and so
 * have files of their own. It has the room code.
 */
export function createKeptRoomFile(dataFolder: string, keptFor: KeptFor, machineId: string): TextStore {
  return createTextFile(join(dataFolder, 'room', `kept-${keptFor}-${machineId.slice(0, 8)}.json`))
}

/** The shared nodes that were set at run time; programs of one data folder share them. */
export function keptNodesOf(config: Pick<RoomConfig, 'nodes' | 'nodesFrom'>, dataFolder: string, log: Log) {
  return createKeptNodes({ store: createTextFile(join(dataFolder, 'room', 'nodes.json')), config, log })
}
