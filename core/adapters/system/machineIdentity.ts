import { createHash, randomBytes } from 'node:crypto'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '@lantern-room/base/settings'
import { readOrCreateOwnFile } from '../files/ownFile'

/**
 * Reads the player's identity from the data folder, or creates it by chance alone: what a machine has from its disk image is the
 * same in all copies of that. It stays with the folder, also on another machine.
 * @returns `machineId`, 32 lower-case hexadecimal digits, the same at every start; `secret`, 32 random bytes that stay in the
 *   folder: a host's key is derived from them
 * @throws Error when the folder cannot be written
 * @see docs/decisions.md, D160
 * @example const { machineId, secret } = await readMachineIdentity(defaultDataFolder(process.env))
 */
export async function readMachineIdentity(folder: string) {
  const roomFolder = join(folder, 'room')
  const newId = async () => `${randomBytes(16).toString('hex')}\n`
  const kept = await readOrCreateOwnFile(join(roomFolder, 'machine-id'), newId)
  const stored = kept.toString('utf8').trim()
  const machineId = /^[0-9a-f]{32}$/.test(stored)
    ? stored
    : createHash('sha256').update(stored).digest('hex').slice(0, 32)
  const secret = await readOrCreateOwnFile(join(roomFolder, 'host-secret'), async () => randomBytes(32))
  return { machineId, secret: new Uint8Array(createHash('sha256').update(secret).digest()) }
}

/**
 * The usual folder for a program's data on this kind of system. It is not created.
 * @param platform whose custom is followed. @default that of this process
 * @example const dataFolder = config.dataDir ?? defaultDataFolder(process.env)
 */
export function defaultDataFolder(env: Environment, platform: NodeJS.Platform = process.platform): string {
  // On Lambda only the temporary folder is writable.
  if (env.LAMBDA_TASK_ROOT !== undefined && env.IS_OFFLINE === undefined)
    return join(tmpdir(), 'lantern-room')
  if (platform === 'win32')
    return join(env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'Lantern Room')
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Lantern Room')
  return join(env.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'lantern-room')
}
