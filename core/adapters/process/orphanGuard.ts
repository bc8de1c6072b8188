import { type ChildProcess, spawn } from 'node:child_process'

/**
 * Kills our children when we are killed ourselves: nobody else would, and an ffmpeg that lost its reader may run on
 * for minutes. A shell of a dozen lines reads the process groups that run from a pipe; the system closes the pipe when
 * we are gone, however that happened, and the shell kills what is still listed. It starts with the first child, one
 * per thread, in a session of its own, so that Ctrl-C does not reach it.
 *
 * Windows has no shell and no process groups: there, a child of a killed process runs to its end.
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

/** Ignores the signals that end whole services: the pipe says when to go. */
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
    // It must not keep a folder busy, nor hold what our own output is piped to.
    cwd: '/',
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  guard = shell
  const lost = () => {
    if (guard === shell) guard = undefined
  }
  // Without it the next child starts another one, which hears of all groups.
  shell.once('error', lost)
  shell.once('exit', lost)
  shell.stdin.once('error', lost)
  // Neither the process nor the pipe keeps us alive.
  shell.unref()
  if ('unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref()
  for (const group of groups) tell(`+ ${group}`)
}

function tell(change: string): void {
  guard?.stdin?.write(`${change}\n`)
}
