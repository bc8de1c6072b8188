import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { systemCode } from '@lantern-room/base'

/** If the owner's start time cannot be read, or it ran on another machine, its files are given up after this time. */
const ABANDONED_AFTER_MS = 24 * 3_600_000

/**
 * Names this process: `<pid>-<start>-<machine>`. All threads of a process share the name, because several of them
 * may serve requests side by side. `start` counts clock ticks since the machine started (field 22 of
 * `/proc/<pid>/stat`), so that a number used a second time is a different owner; it is 0 where there is no /proc.
 * `machine` is a digest of the host name: containers that share a folder cannot see each other's processes.
 */
export function thisProcess(): string {
  own ??= `${process.pid}-${startOf(process.pid) ?? 0}-${machine()}`
  return own
}

/**
 * Whether the files that `owner` left may be removed.
 * @param owner as `thisProcess` makes it; any other text belongs to another program and is never gone
 * @param ageMs time since the last change
 */
export function isGone(owner: string, ageMs: number): boolean {
  const parts = /^(\d{1,10})-(\d{1,20})-([0-9a-f]{8})$/.exec(owner)
  if (parts === null || owner === thisProcess()) return false
  const [, pid = '', start = '', where = ''] = parts
  if (where !== machine()) return ageMs > ABANDONED_AFTER_MS
  if (start !== '0') return startOf(Number(pid)) !== start
  return !isRunning(Number(pid)) || ageMs > ABANDONED_AFTER_MS
}

/**
 * Whether a process has this id, including one of another user. Ids are reused: it may be a different process by now.
 * @example if (!isRunning(found.pid)) await removeStale(path, found)
 */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return systemCode(error) === 'EPERM'
  }
}

let own: string | undefined

function machine(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 8)
}

/** Start of a process in clock ticks; undefined when it has ended, or when there is no /proc. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // "pid (name) state …": the name may itself hold spaces and brackets.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // A zombie has ended; its parent has not collected it yet.
    return state === 'Z' || state === 'X' ? undefined : fields[18]
  } catch {
    return undefined
  }
}
