import { open, readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '@lantern-room/base/settings'

/** The settings of Simple Voice Chat for a world that is opened here, below a game's folder. */
const SETTINGS = join('config', 'voicechat', 'voicechat-server.properties')
const MAX_BYTES = 65_536
/** Launchers that keep versions apart give each a folder of its own. */
const VERSIONS = 'versions'
const MAX_VERSIONS = 100

/**
 * Reads the ports that voice mods of the game in this folder, and of its versions, are set to.
 * @returns reads them anew: each port once, the one whose settings were changed last first; -1, the world's own port, is left out,
 *   and so is a file that cannot be read
 * @example const [port = 24_454] = await createVoiceSettings(defaultGameFolder(process.env))()
 */
export function createVoiceSettings(gameFolder: string): () => Promise<readonly number[]> {
  return async () => {
    const versions = await readdir(join(gameFolder, VERSIONS)).catch(() => [])
    const folders = [
      gameFolder,
      ...versions.slice(0, MAX_VERSIONS).map((name) => join(gameFolder, VERSIONS, name)),
    ]
    const settings = await Promise.all(folders.map((folder) => readPort(join(folder, SETTINGS))))
    const found = settings.filter((one) => one !== undefined).sort((one, other) => other.at - one.at)
    return [...new Set(found.map(({ port }) => port))]
  }
}

/** @returns undefined when there is no such file, or no port in it */
async function readPort(path: string): Promise<{ readonly port: number; readonly at: number } | undefined> {
  const file = await open(path).catch(() => undefined)
  try {
    if (!file) return undefined
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(MAX_BYTES) })
    const text = buffer.toString('utf8', 0, bytesRead)
    const port = Number(/^[ \t]*port[ \t]*[=:][ \t]*(\d{1,5})[ \t]*\r?$/m.exec(text)?.[1])
    if (!(port >= 1 && port <= 65_535)) return undefined
    return { port, at: (await file.stat()).mtimeMs }
  } catch {
    return undefined
  } finally {
    await file?.close()
  }
}

/**
 * Where the game of this user keeps its settings, unless a launcher has chosen another folder.
 * @param platform whose custom is followed. @default that of this process
 * @example defaultGameFolder({}, 'linux') // '/home/alex/.minecraft'
 */
export function defaultGameFolder(env: Environment, platform: NodeJS.Platform = process.platform): string {
  if (platform === 'win32') return join(env.APPDATA ?? join(homedir(), 'AppData', 'Roaming'), '.minecraft')
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'minecraft')
  return join(homedir(), '.minecraft')
}
