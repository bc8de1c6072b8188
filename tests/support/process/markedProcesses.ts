import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** An environment variable that every process of one test file inherits, so that none of them gets lost. */
export const markVariable = 'TEST_PROCESS_MARKS'

export type RunningProcess = { readonly pid: number; readonly command: string }

/**
 * The running processes whose environment carries `mark`, and everything they started, zombies left out.
 * Reads `/proc`; on a system without one the answer is empty.
 */
export function markedProcesses(mark: string): RunningProcess[] {
  // An empty mark would be found in every process there is.
  if (mark === '') return []
  const seen = processes()
  const found = new Set(seen.filter(({ marks }) => marks.includes(mark)).map(({ pid }) => pid))
  for (let before = -1; before !== found.size; ) {
    before = found.size
    for (const { pid, parent } of seen) if (found.has(parent)) found.add(pid)
  }
  found.delete(process.pid)
  return [...found].map((pid) => ({
    pid,
    command: textOfProcess(pid, 'cmdline').replaceAll('\0', ' ').trim().slice(0, 200),
  }))
}

/** Kills every marked process, whichever group or parent it has by now, and last the process group of `leader`. */
export function killMarked(mark: string, leader: number | undefined): void {
  // All are found before the first is killed: a dead parent no longer tells whose a child was.
  for (const { pid } of markedProcesses(mark)) kill(pid)
  if (leader !== undefined) kill(-leader)
}

/** Waits until no marked process is left. @returns those that are still there after `graceMs` */
export async function survivors(mark: string, graceMs: number): Promise<RunningProcess[]> {
  const deadline = Date.now() + graceMs
  for (;;) {
    const left = markedProcesses(mark)
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

type Seen = { readonly pid: number; readonly parent: number; readonly marks: string }

/** At once: a promise for each of three files of each process would cost ten times as much. */
function processes(): Seen[] {
  return (existsSync('/proc') ? readdirSync('/proc') : []).flatMap((name) => {
    const pid = Number(name)
    // "pid (name) state parent …"; the name may itself hold spaces and brackets.
    const stat = pid > 0 ? textOfProcess(pid, 'stat') : ''
    const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (['', 'Z', 'X'].includes(state)) return []
    const entries = textOfProcess(pid, 'environ').split('\0')
    const marks = entries.find((entry) => entry.startsWith(`${markVariable}=`)) ?? ''
    return [{ pid, parent: Number(parent), marks }]
  })
}

/** A file of its folder in `/proc`; nothing where it ended while we looked, or is another user's. */
export function textOfProcess(pid: number | string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
