import { readdirSync, readlinkSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { textOfProcess } from '#support/process/markedProcesses'
import { assert, type Test } from '#support/runner/suite'
import { until } from '#support/values/until'

/**
 * What this process holds open below a folder at the moment of the call, deleted files too, as `open: <path>`.
 * Reads /proc; elsewhere the answer is empty.
 */
export function openFilesBelow(folder: string): string[] {
  return openTargets()
    .filter((target) => target.startsWith(`${folder}/`) || target === folder)
    .map((target) => `open: ${target}`)
}

/** Every file and folder below a folder, as paths relative to it, sorted. */
export async function entriesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)).sort()
}

/** The children of this process, as `<pid> (<name>)`; a zombie counts too. Empty where there is no /proc. */
export async function childProcesses(): Promise<string[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  // "pid (name) state parent …"; the name may itself hold spaces and brackets.
  return pids
    .map((pid) => textOfProcess(pid, 'stat'))
    .filter((stat) => stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] === String(process.pid))
    .map((stat) => stat.slice(0, stat.lastIndexOf(')') + 1))
}

/** Pipes and sockets that this process holds, each with its inode. Empty where there is no /proc. */
export function openPipes(): string[] {
  return openTargets()
    .filter((target) => /^(?:pipe|socket):/.test(target))
    .sort()
}

/**
 * After each test of the suite, and what ends it, every pipe and socket that it has opened is closed: at once, or `soon` where
 * nothing tells of it.
 */
export function closesItsSockets<T>(
  test: Pick<Test<T>, 'before' | 'after'>,
  end: () => unknown,
  when: 'at once' | 'soon' = 'at once',
): void {
  let before: readonly string[]
  test.before.each(() => {
    before = openPipes()
  })
  test.after.each(async () => {
    await end()
    if (when === 'soon') await until('every socket is closed', () => openPipes().join() === before.join())
    assert.equal(openPipes(), before)
  })
}

function openTargets(): string[] {
  try {
    return readdirSync('/proc/self/fd').map(targetOf)
  } catch {
    return []
  }
}

function targetOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    // The one that was opened for looking.
    return ''
  }
}
