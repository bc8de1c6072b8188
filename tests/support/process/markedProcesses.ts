import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** An environment variable that every process of one test file inherits, so that none of them gets lost. */
export const markVariable = 'TEST_PROCESS_MARKS'

export type RunningProcess = { readonly pid: number; readonly command: string }

/**
 * The running processes whose environment carries `mark`, and everything they started, zombies left out.
 * Reads `/proc`; on a system without one the answer is empty.
 */
export async function markedProcesses(mark: string): Promise<RunningProcess[]> {
  // An empty mark would be found in every process there is.
  if (mark === '') return []
  const seen = (await Promise.all((await readdir('/proc').catch(() => [])).map(read))).flatMap(
    (one) => one ?? [],
  )
  const found = new Set(seen.filter(({ marks }) => marks.includes(mark)).map(({ pid }) => pid))
  for (let before = -1; before !== found.size; ) {
    before = found.size
    for (const { pid, parent } of seen) if (found.has(parent)) found.add(pid)
  }
  return seen.filter(({ pid }) => found.has(pid) && pid !== process.pid)
}

/** Kills every marked process, whichever group or parent it has by now, and last the process group of `leader`. */
export async function killMarked(mark: string, leader: number | undefined): Promise<void> {
  // All are found before the first is killed: a dead parent no longer tells whose a child was.
  for (const { pid } of await markedProcesses(mark)) kill(pid)
  if (leader !== undefined) kill(-leader)
}

/** Waits until no marked process is left. @returns those that are still there after `graceMs` */
export async function survivors(mark: string, graceMs: number): Promise<RunningProcess[]> {
  const deadline = Date.now() + graceMs
  for (;;) {
    const left = await markedProcesses(mark)
    if (left.length === 0 || Date.now() >= deadline) return left
    await sleep(50)
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

async function read(name: string): Promise<(RunningProcess & { parent: number; marks: string }) | undefined> {
  if (!/^\d+$/.test(name)) return undefined
  try {
    const [stat, environment, commandLine] = await Promise.all(
      ['stat', 'environ', 'cmdline'].map((file) => readFile(`/proc/${name}/${file}`, 'utf8')),
    )
    // "pid (name) state parent …"; the name may itself hold spaces and brackets.
    const [state, parent] = (stat ?? '').slice((stat ?? '').lastIndexOf(')') + 2).split(' ')
    if (state === 'Z' || state === 'X') return undefined
    const marks = (environment ?? '').split('\0').find((entry) => entry.startsWith(`${markVariable}=`)) ?? ''
    const command = (commandLine ?? '').replaceAll('\0', ' ').trim().slice(0, 200)
    return { pid: Number(name), parent: Number(parent), marks, command }
  } catch {
    // Ended while we looked, or another user's.
    return undefined
  }
}
