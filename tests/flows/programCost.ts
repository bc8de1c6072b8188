import { readFile } from 'node:fs/promises'
import { childProcesses } from '../contract/ports/leaks'

export type Cost = {
  /** Processor time of the programs: a busy machine changes nothing of it. */
  readonly cpuSeconds: number
  readonly peakBytes: number
}

/** Does the work and tells what its programs took, and the resident memory of the largest; 0 where there is no /proc. */
export async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  let peakBytes = 0
  const look = async () => {
    for (const child of await childProcesses()) {
      const status = await readFile(`/proc/${Number.parseInt(child, 10)}/status`, 'utf8').catch(() => '')
      peakBytes = Math.max(peakBytes, Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024)
    }
  }
  const timer = setInterval(() => void look(), 25)
  const before = await cpuOfChildren()
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  return { cpuSeconds: (await cpuOfChildren()) - before, peakBytes }
}

/** Processor time of all children that have ended so far, and of theirs, in seconds. */
async function cpuOfChildren(): Promise<number> {
  const stat = await readFile('/proc/self/stat', 'utf8').catch(() => '')
  // Fields 16 and 17 of proc(5), in hundredths; the first after the name is the third.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) / 100
}
