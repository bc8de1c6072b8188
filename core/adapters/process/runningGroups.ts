import { type ChildProcess, spawn } from 'node:child_process'

/**
 * Keeps track of a child process and everything it has started.
 * @param pid of a child that was started as the leader of its own process group (on Windows: alone)
 */
export function trackGroup(pid: number) {
  running.add(pid)
  guardGroup(pid)
  return {
    /** SIGKILL to all of it, at once; nothing when it has ended. */
    kill() {
      if (running.has(pid)) killNow(pid)
    },
    /** Must be called when the child itself has ended: kills the processes that it left behind. */
    ended() {
      // On Windows the process id may belong to another process by now.
      if (process.platform !== 'win32') killNow(pid)
      if (running.delete(pid)) tell(`- ${pid}`)
    },
  }
}

/**
 * Kills every child of this thread with all it has started. Synchronous: for a second signal, or for `exit`. Never throws.
 * @example process.once('exit', killAllProcesses)
 */
export function killAllProcesses(): void {
  for (const pid of running) killNow(pid)
}

const running = new Set<number>()

function killNow(pid: number): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch {
    // No process of the group is left.
  }
}

/**
 * Kills our children when we are killed ourselves; an ffmpeg without a reader may otherwise run on for minutes. A
 * shell script of a dozen lines reads the running process groups from a pipe. The system closes the pipe when this
 * process ends, for whatever reason, and the shell then kills the groups that are still listed. It starts with the
 * first child, one per thread, in a session of its own, so that Ctrl-C does not reach it.
 *
 * Windows has no shell and no process groups: there, a child of a killed process runs to its end.
 * @see docs/decisions.md, D52
 */
function guardGroup(group: number): void {
  if (guard !== undefined) tell(`+ ${group}`)
  else if (process.platform !== 'win32') start()
}

/** Ignores the signals that stop whole services: it ends when the pipe closes. */
const script = `
trap '' HUP INT TERM
groups=' '
while read -r change group; do
  case $change in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;; esac ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
`

let guard: ChildProcess | undefined

function start(): void {
  const shell = spawn('/bin/sh', ['-c', script], {
    // It must neither keep a folder in use nor hold the pipe of our own output open.
    cwd: '/',
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  guard = shell
  const lost = () => {
    if (guard === shell) guard = undefined
  }
  // If it has died, the next child starts another one, which gets all groups.
  shell.once('error', lost)
  shell.once('exit', lost)
  shell.stdin.once('error', lost)
  // Neither the process nor the pipe keeps this process alive.
  shell.unref()
  if ('unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref()
  for (const group of running) tell(`+ ${group}`)
}

function tell(change: string): void {
  guard?.stdin?.write(`${change}\n`)
}
