import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'

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
