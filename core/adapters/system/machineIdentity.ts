import { createHash, randomBytes } from 'node:crypto'
import { link, mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemCode } from '#core/errors'

export type MachineIdentity = {
  /** 32 lower-case hexadecimal digits, the same at every start: one per data folder, so that two instances are two players. */
  readonly machineId: string
  /** 32 random bytes that stay on this machine: a host's key is derived from them. */
  readonly secret: Uint8Array
}

/** Where operating systems keep their own id; without one, a random id that is stored is as good. */
const SYSTEM_IDS = ['/etc/machine-id', '/var/lib/dbus/machine-id']

/** Reads the player's identity from the data folder, or creates it. @throws Error when the folder cannot be written */
export async function readMachineIdentity(folder: string): Promise<MachineIdentity> {
  const roomFolder = join(folder, 'room')
  await mkdir(roomFolder, { recursive: true, mode: 0o700 })
  const stored = (await readOrCreate(join(roomFolder, 'machine-id'), () => newId(folder)))
    .toString('utf8')
    .trim()
  const machineId = /^[0-9a-f]{32}$/.test(stored)
    ? stored
    : createHash('sha256').update(stored).digest('hex').slice(0, 32)
  const secret = await readOrCreate(join(roomFolder, 'host-secret'), async () => randomBytes(32))
  return { machineId, secret: new Uint8Array(createHash('sha256').update(secret).digest()) }
}

/**
 * The file's bytes, created if it is missing. It appears whole, so that of two programs that start at the same time
 * neither reads half of it.
 */
async function readOrCreate(path: string, make: () => Promise<Buffer>): Promise<Buffer> {
  const old = await readFile(path).catch(absent)
  if (old && old.length > 0) return old
  const whole = `${path}.${randomBytes(6).toString('hex')}.tmp`
  await writeFile(whole, await make(), { mode: 0o600, flag: 'wx' })
  try {
    // A machine that lost its power can leave an empty file.
    if (old) await rename(whole, path)
    else await linkIfAbsent(whole, path)
  } finally {
    await rm(whole, { force: true })
  }
  return readFile(path)
}

/** Where there are no hard links, a file that another program creates at the same time is replaced. */
async function linkIfAbsent(whole: string, path: string): Promise<void> {
  try {
    await link(whole, path)
  } catch (error) {
    const code = systemCode(error) ?? ''
    if (NO_LINKS.has(code)) await rename(whole, path)
    else if (code !== 'EEXIST') throw error
  }
}

/** Errors of file systems without hard links. */
const NO_LINKS: ReadonlySet<string> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
  'EACCES',
])

async function newId(folder: string): Promise<Buffer> {
  const texts = await Promise.all(SYSTEM_IDS.map((path) => readFile(path, 'utf8').catch(absent)))
  const systemId = texts.find((text) => text && text.trim() !== '') ?? randomBytes(32).toString('hex')
  // One-way: the id that other players see must not identify this machine anywhere else.
  const hash = createHash('sha256').update(
    `lantern-room player\n${systemId.trim()}\n${await realpath(folder)}`,
  )
  return Buffer.from(`${hash.digest('hex').slice(0, 32)}\n`)
}

function absent(error: unknown): undefined {
  if (['ENOENT', 'EACCES', 'ENOTDIR'].includes(systemCode(error) ?? '')) return undefined
  throw error
}

type Environment = Readonly<Record<string, string | undefined>>

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
