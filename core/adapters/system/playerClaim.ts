import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { systemCode } from '#core/errors'
import { isRunning } from '../process/processOwner'

/**
 * The lasting id of the player whom this program stands for. Of several programs that use one data folder at the same time
 * the first has the folder's own id; each other one gets an id for this run, so that all of them are players.
 * @param machineId of the data folder
 */
export async function claimPlayer(folder: string, machineId: string): Promise<string> {
  const path = claimFile(folder)
  if (await claim(path)) return machineId
  // The claim of a program that has ended.
  if (!(await isHeld(path))) await rm(path, { force: true })
  return (await claim(path)) ? machineId : randomBytes(16).toString('hex')
}

/** For the exit of a program, when nothing asynchronous runs any more. Another program's claim stays. Never throws. */
export function releasePlayer(folder: string): void {
  const path = claimFile(folder)
  try {
    if (readFileSync(path, 'utf8') === String(process.pid)) rmSync(path)
  } catch {
    // The file was never written, or has been removed already: there is nothing to release.
  }
}

function claimFile(folder: string): string {
  return join(folder, 'room', 'player.pid')
}

/** @returns whether there was no file */
async function claim(path: string): Promise<boolean> {
  try {
    await writeFile(path, String(process.pid), { mode: 0o600, flag: 'wx' })
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw error
  }
}

/** Whether another program that runs has the id. A number that was given to another program since then counts, too. */
async function isHeld(path: string): Promise<boolean> {
  const pid = Number(await readFile(path, 'utf8').catch(() => ''))
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid) return false
  return isRunning(pid)
}
