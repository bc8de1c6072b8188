import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { systemCode } from '@lantern-room/base'
import { isRunning } from '../process/processOwner'

/** A program that uses a data folder: its run, 16 bytes in hexadecimal digits, and where the folder is, as `placeOf` tells it. */
export type FolderUser = { readonly run: string; readonly place: string }

type Claim = { readonly pid: number; readonly run: string | undefined; readonly place: string | undefined }

/** Another program may take the claim of one that has ended at the same time. */
const TRIES = 3

/**
 * The lasting id of the player for which this program stands. Of several programs that use one data folder at the same time
 * the first has the folder's own id; each other one gets an id for this run, so that all of them are players. A claim that was
 * copied with the folder does not count.
 * @param folder the data folder, which has a folder `room`
 * @param machineId of the data folder
 * @param user what other programs may know of this one. @default nothing; the claim then holds in copies, too
 * @returns 32 lower-case hexadecimal digits
 * @throws the system's error when the folder cannot be written
 * @example const player = await claimPlayer(dataFolder, machineId, { run: toHex(run), place: await placeOf(dataFolder) })
 */
export async function claimPlayer(folder: string, machineId: string, user?: FolderUser): Promise<string> {
  const path = claimFile(folder)
  const text = [process.pid, ...(user ? [user.run, user.place] : [])].join(' ')
  for (let tries = 0; tries < TRIES; tries++) {
    if (await claim(path, text)) return machineId
    const found = await readFile(path, 'utf8').catch(() => '')
    if (isHeld(readClaim(found), user?.place)) break
    await removeStale(path, found)
  }
  return randomBytes(16).toString('hex')
}

/**
 * The run of the program that has the id of this folder now, on this machine. Never rejects.
 * @param place of the folder, as `placeOf` tells it
 * @returns 32 hexadecimal digits; undefined when no program has it
 * @example const isOurs = (await claimedRun(dataFolder, place)) === toHex(run)
 */
export async function claimedRun(folder: string, place: string): Promise<string | undefined> {
  const found = readClaim(await readFile(claimFile(folder), 'utf8').catch(() => ''))
  return found?.place === place && isRunning(found.pid) ? found.run : undefined
}

/**
 * Gives up the claim of `claimPlayer`, for the exit of a program, when nothing asynchronous runs any more. Another program's claim stays.
 * Never throws.
 * @example process.once('exit', () => releasePlayer(dataFolder))
 */
export function releasePlayer(folder: string): void {
  const path = claimFile(folder)
  try {
    if (readClaim(readFileSync(path, 'utf8'))?.pid === process.pid) rmSync(path)
  } catch {
    // The file was never written, or has been removed already: there is nothing to release.
  }
}

function claimFile(folder: string): string {
  return join(folder, 'room', 'player.pid')
}

/** @returns undefined for a damaged one. Older versions write the process alone. */
function readClaim(text: string): Claim | undefined {
  const [first = '', run, place] = text.trim().split(' ')
  const pid = Number(first)
  return Number.isSafeInteger(pid) && pid > 0 ? { pid, run, place } : undefined
}

/** @returns whether there was no file */
async function claim(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { mode: 0o600, flag: 'wx' })
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw error
  }
}

/** Whether another program that runs has the id. A number that was given to another program since then counts, too. */
function isHeld(found: Claim | undefined, place: string | undefined): boolean {
  if (!found || found.pid === process.pid) return false
  const isHere = found.place === undefined || place === undefined || found.place === place
  return isHere && isRunning(found.pid)
}

/** Removes the claim of a program that has ended, and no other one that has taken its place since it was read. */
async function removeStale(path: string, stale: string): Promise<void> {
  const aside = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await rename(path, aside)
    if ((await readFile(aside, 'utf8')) !== stale) await link(aside, path)
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes(systemCode(error) ?? '')) throw error
  } finally {
    await rm(aside, { force: true })
  }
}
