import { constants, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Environment } from '@lantern-room/base/settings'
import { gameFolders } from './gameFolders'

/** Read from the end, however long the log is. */
const TAIL_BYTES = 512 * 1024
/** A log that was not written for so long is of a game that has ended. */
const FRESH_MS = 24 * 3_600_000
/** Line of every version since 1.3, in every language of the game. */
const OPENED = /Started serving on (\d{1,5})\b/g

/**
 * Reads from the logs of this user's games on which ports a world was opened to the LAN. Only plain files of this user count.
 * A read that hangs, as on a network drive, is not begun a second time.
 * @param gameFolder where the game is without a launcher, beside the folders of some launchers
 * @param env of this user: where launchers keep their data
 * @param platform whose launchers are looked for. @default that of this process
 * @returns reads the ports anew, each once; never rejects: a log that cannot be read is left out
 * @example const ports = await createGameLogs(defaultGameFolder(process.env), process.env)()
 */
export function createGameLogs(
  gameFolder: string,
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): () => Promise<readonly number[]> {
  const seen = new Map<string, { readonly version: string; readonly port: number | undefined }>()
  let reading: Promise<readonly number[]> | undefined

  return () => {
    reading ??= readAll().finally(() => {
      reading = undefined
    })
    return reading
  }

  async function readAll(): Promise<readonly number[]> {
    const folders = await gameFolders(gameFolder, env, platform)
    const ports = await Promise.all(folders.map((folder) => portIn(join(folder, 'logs', 'latest.log'))))
    return [...new Set(ports.filter((port) => port !== undefined))]
  }

  async function portIn(path: string): Promise<number | undefined> {
    const file = await stat(path).catch(() => undefined)
    const isOwn = process.getuid === undefined || file?.uid === process.getuid()
    if (!file?.isFile() || !isOwn || Date.now() - file.mtimeMs > FRESH_MS) return undefined
    const version = `${file.mtimeMs} ${file.size}`
    const known = seen.get(path)
    if (known?.version === version) return known.port
    // What was written since may be longer than what is read.
    const port = (await lastPort(path, file.size)) ?? known?.port
    seen.set(path, { version, port })
    return port
  }
}

/** @returns undefined when there is none, or the file cannot be read */
async function lastPort(path: string, size: number): Promise<number | undefined> {
  // A pipe in its place would wait for its other side.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(() => undefined)
  try {
    const position = Math.max(0, size - TAIL_BYTES)
    const read = await file?.read({ buffer: Buffer.alloc(Math.min(size, TAIL_BYTES)), position })
    const text = read?.buffer.toString('latin1', 0, read.bytesRead) ?? ''
    const port = Number([...text.matchAll(OPENED)].at(-1)?.[1])
    return port >= 1 && port <= 65_535 ? port : undefined
  } catch {
    return undefined
  } finally {
    await file?.close().catch(() => {})
  }
}
