import { createHash, randomBytes } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '#core/environment'
import { readIfPresent, readOrCreateOwnFile } from '../files/ownFile'

/** Where operating systems keep their own id; without one, a random id that is stored is as good. */
const SYSTEM_IDS = ['/etc/machine-id', '/var/lib/dbus/machine-id']

/**
 * Reads the player's identity from the data folder, or creates it.
 * @returns `machineId`, 32 lower-case hexadecimal digits, the same at every start: one per data folder, so that two instances are
 *   two players; `secret`, 32 random bytes that stay on this machine: a host's key is derived from them
 * @throws Error when the folder cannot be written
 */
export async function readMachineIdentity(folder: string) {
  const roomFolder = join(folder, 'room')
  const kept = await readOrCreateOwnFile(join(roomFolder, 'machine-id'), () => newId(folder))
  const stored = kept.toString('utf8').trim()
  const machineId = /^[0-9a-f]{32}$/.test(stored)
    ? stored
    : createHash('sha256').update(stored).digest('hex').slice(0, 32)
  const secret = await readOrCreateOwnFile(join(roomFolder, 'host-secret'), async () => randomBytes(32))
  return { machineId, secret: new Uint8Array(createHash('sha256').update(secret).digest()) }
}

async function newId(folder: string): Promise<string> {
  const texts = (await Promise.all(SYSTEM_IDS.map(readIfPresent))).map((bytes) =>
    bytes?.toString('utf8').trim(),
  )
  const systemId = texts.find((text) => text) ?? randomBytes(32).toString('hex')
  // One-way: the id that other players see must not identify this machine anywhere else.
  const hash = createHash('sha256').update(`lantern-room player\n${systemId}\n${await realpath(folder)}`)
  return `${hash.digest('hex').slice(0, 32)}\n`
}

/** The usual folder for a program's data on this kind of system. */
export function defaultDataFolder(env: Environment, platform: NodeJS.Platform = process.platform): string {
  // On Lambda only the temporary folder is writable.
  if (env.LAMBDA_TASK_ROOT !== undefined && env.IS_OFFLINE === undefined)
    return join(tmpdir(), 'lantern-room')
  if (platform === 'win32')
    return join(env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'Lantern Room')
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Lantern Room')
  return join(env.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'lantern-room')
}
