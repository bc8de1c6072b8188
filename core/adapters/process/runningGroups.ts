import { forgetGroup, guardGroup } from './orphanGuard'

/** A child process and everything it has started. */
export type RunningGroup = {
  /** SIGKILL to all of it, at once; nothing when it has ended. */
  kill(): void
  /** Must be called when the child itself has ended: kills the processes that it left behind. */
  ended(): void
}

/** @param pid of a child that was started as the leader of its own process group (on Windows: alone) */
export function trackGroup(pid: number): RunningGroup {
  const group: RunningGroup = {
    kill: () => {
      if (running.has(group)) killNow(pid)
    },
    ended: () => {
      // On Windows the process id may belong to another process by now.
      if (process.platform !== 'win32') group.kill()
      running.delete(group)
      forgetGroup(pid)
    },
  }
  running.add(group)
  guardGroup(pid)
  return group
}

/** Kills every child of this thread with all it has started. Synchronous: for a second signal, or for `exit`. */
export function killAllProcesses(): void {
  for (const group of running) group.kill()
}

const running = new Set<RunningGroup>()

function killNow(pid: number): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch {
    // No process of the group is left.
  }
}
