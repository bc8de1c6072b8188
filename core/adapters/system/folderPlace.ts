import { createHash } from 'node:crypto'
import { realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readIfPresent } from '../files/ownFile'

/** Where operating systems keep their own id. */
const SYSTEM_IDS = ['/etc/machine-id', '/var/lib/dbus/machine-id']

/**
 * Tells a data folder from its copies: what a program writes about itself while it runs, such as its process, must count for
 * nothing in a copy. A folder that has moved is another place, too.
 * @returns 32 hexadecimal digits, of which the system's id, path and file number cannot be read
 * @throws Error when the folder has no folder `room`
 * @example const isCopy = running.place !== (await placeOf(dataFolder))
 */
export async function placeOf(folder: string): Promise<string> {
  const roomFolder = join(await realpath(folder), 'room')
  const [{ ino }, ...systemIds] = await Promise.all([
    stat(roomFolder, { bigint: true }),
    ...SYSTEM_IDS.map(readIfPresent),
  ])
  const systemId =
    systemIds
      .find((bytes) => bytes !== undefined)
      ?.toString('utf8')
      .trim() ?? ''
  const text = `lantern-room place\n${systemId}\n${roomFolder}\n${ino}`
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
