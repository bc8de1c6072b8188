import { readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'

/** What this process holds open below a folder, deleted files too. Reads /proc; elsewhere the answer is empty. */
export async function openFilesBelow(folder: string): Promise<string[]> {
  const targets = await Promise.all(
    (await readdir('/proc/self/fd').catch(() => [])).map((fd) =>
      readlink(`/proc/self/fd/${fd}`).catch(() => ''),
    ),
  )
  return targets.filter((target) => target.startsWith(`${folder}/`) || target === folder)
}

/** Every file and folder below a folder, as paths relative to it, sorted. */
export async function entriesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)).sort()
}

/** The children of this process, as `<pid> (<name>)`; a zombie counts too. Empty where there is no /proc. */
export async function childProcesses(): Promise<string[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')))
  // "pid (name) state parent …"; the name may itself hold spaces and brackets.
  return stats
    .filter((stat) => stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] === String(process.pid))
    .map((stat) => stat.slice(0, stat.lastIndexOf(')') + 1))
}

/** Pipes and sockets that this process holds, each with its inode. Empty where there is no /proc. */
export async function openPipes(): Promise<string[]> {
  const targets = await Promise.all(
    (await readdir('/proc/self/fd').catch(() => [])).map((fd) =>
      readlink(`/proc/self/fd/${fd}`).catch(() => ''),
    ),
  )
  return targets.filter((target) => /^(?:pipe|socket):/.test(target)).sort()
}
