import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { cleanText } from '@lantern-room/base'
import type { Environment } from '@lantern-room/base/settings'
import { gameFolders } from './gameFolders'

/** The game says it among its first lines. */
const HEAD_BYTES = 64 * 1024
const MAX_NAME = 64
/** Line of every version since 1.6, whichever launcher has started it. */
const NAME = /Setting user: (\S[^\r\n]*)/

/**
 * Reads from the newest log of this user's games under which name the user last played.
 * @param gameFolder where the game is without a launcher, beside the folders of some launchers
 * @param env of this user: where launchers keep their data
 * @param platform whose launchers are looked for. @default that of this process
 * @returns reads it anew; undefined where no log says it; never rejects
 * @example const name = await createGameName(defaultGameFolder(process.env), process.env)()
 */
export function createGameName(
  gameFolder: string,
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): () => Promise<string | undefined> {
  return async () => {
    const folders = await gameFolders(gameFolder, env, platform)
    const logs = await Promise.all(folders.map((folder) => ownFile(join(folder, 'logs', 'latest.log'))))
    const newest = logs.flatMap((log) => log ?? []).sort((one, other) => other.at - one.at)
    for (const { path } of newest.slice(0, MAX_READ)) {
      const name = cleanText(NAME.exec(await headOf(path))?.[1] ?? '', MAX_NAME)
      if (name !== '') return name
    }
    return undefined
  }
}

/** A game that was never started to its end has a log without a name. */
const MAX_READ = 4

/** Only plain files of this user count. */
async function ownFile(path: string) {
  const file = await stat(path).catch(() => undefined)
  const isOwn = process.getuid === undefined || file?.uid === process.getuid()
  return file?.isFile() && isOwn ? { path, at: file.mtimeMs } : undefined
}

async function headOf(path: string): Promise<string> {
  const file = await open(path).catch(() => undefined)
  try {
    const read = await file?.read({ buffer: Buffer.alloc(HEAD_BYTES) })
    return read?.buffer.toString('utf8', 0, read.bytesRead) ?? ''
  } catch {
    return ''
  } finally {
    await file?.close().catch(() => {})
  }
}
