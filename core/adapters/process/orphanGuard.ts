import { type ChildProcess, spawn } from 'node:child_process'

/**
 * Kills our children when we are killed ourselves; an ffmpeg without a reader may otherwise run on for minutes. A
 * shell script of a dozen lines reads the running process groups from a pipe. The system closes the pipe when this
 * process ends, for whatever reason, and the shell then kills the groups that are still listed. It starts with the
 * first child, one per thread, in a session of its own, so that Ctrl-C does not reach it.
 *
 * Windows has no shell and no process groups: there, a child of a killed process runs to its end.
 * @see docs/decisions.md, D52
 */
export function guardGroup(group: number): void {
  if (process.platform === 'win32') return
  groups.add(group)
  if (guard === undefined) start()
  else tell(`+ ${group}`)
}

export function forgetGroup(group: number): void {
  if (groups.delete(group)) tell(`- ${group}`)
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

const groups = new Set<number>()
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
  for (const group of groups) tell(`+ ${group}`)
}

function tell(change: string): void {
  guard?.stdin?.write(`${change}\n`)
}
