import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** The most that a folder held at any moment that was looked at. */
export type DiskPeak = {
  /** Bytes on the disk; a file with several names counts once. */
  readonly bytes: number
  /** How many files there were at once of which each alone had at least `largeBytes`. */
  readonly largeFiles: number
}

const LOOK_EVERY_MS = 25

/** Watches a folder of another process. @returns a function that stops watching and tells the peak */
export function watchDisk(folder: string, largeBytes: number): () => Promise<DiskPeak> {
  const stopped = new AbortController()
  const watching = watch(folder, largeBytes, stopped.signal)
  return () => {
    stopped.abort()
    return watching
  }
}

/** Bytes that a folder holds on the disk. */
export async function bytesBelow(folder: string): Promise<number> {
  return [...(await sizesBelow(folder)).values()].reduce((sum, size) => sum + size, 0)
}

async function watch(folder: string, largeBytes: number, signal: AbortSignal): Promise<DiskPeak> {
  let bytes = 0
  let largeFiles = 0
  while (!signal.aborted) {
    const sizes = [...(await sizesBelow(folder)).values()]
    const now = sizes.reduce((sum, size) => sum + size, 0)
    bytes = Math.max(bytes, now)
    largeFiles = Math.max(largeFiles, sizes.filter((size) => size >= largeBytes).length)
    await sleep(LOOK_EVERY_MS)
  }
  return { bytes, largeFiles }
}

/** Sizes on the disk by inode. What goes while it is looked at is gone. */
async function sizesBelow(folder: string): Promise<Map<number, number>> {
  const entries = await readdir(folder, { recursive: true }).catch(() => [])
  const stats = await Promise.all(entries.map((name) => lstat(join(folder, name)).catch(() => undefined)))
  return new Map(stats.flatMap((stat) => (stat?.isFile() ? [[stat.ino, stat.blocks * 512]] : [])))
}
