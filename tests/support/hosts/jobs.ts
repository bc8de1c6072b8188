import { randomUUID } from 'node:crypto'
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from '#support/runner/suite'
import { until } from '#support/values/until'
import { entriesBelow } from '../../contract/ports/leaks'
import { ffmpegPath, type MediaFolder } from '../media/media'
import type { Settings } from '../process/serverProcess'
import { type ProcessHost, startNodeHost } from './hosts'

// Watching a server at work from outside: its programs by /proc, its files by looking.

/** A real ffmpeg that reads no faster than one would watch: a film of 30 s keeps it busy for 30 s, at little cost. */
export function slowFfmpeg(media: MediaFolder): Promise<string> {
  return writeFfmpeg(media, 'slow-ffmpeg', `exec '${ffmpegPath}' -re "$@"`)
}

/** @param before what the shell does first where there is something to read. @returns its path, for FFMPEG_PATH */
async function writeFfmpeg(media: MediaFolder, name: string, before: string): Promise<string> {
  const script = `#!/bin/sh\ncase " $* " in *" -i "*) ${before} ;; esac\nexec '${ffmpegPath}' "$@"\n`
  const path = await media.write(name, script)
  await chmod(path, 0o755)
  return path
}

/**
 * An ffmpeg that begins to read only once it is let go, and then is as fast as ever: what it works on lasts for as long as a
 * test needs, and ends soon after.
 */
export async function heldFfmpeg(media: MediaFolder): Promise<{ path: string; letGo(): Promise<void> }> {
  const name = `held-ffmpeg-${randomUUID()}`
  const isLetGo = media.path(`${name}.go`)
  const wait = `while [ ! -e '${isLetGo}' ]; do sleep 0.05; done`
  return { path: await writeFfmpeg(media, name, wait), letGo: () => writeFile(isLetGo, '') }
}

/** The numbers of all processes that name a folder among their arguments: what a server runs on its files. */
export async function programsOn(folder: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async (pid) => {
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      return command.includes(folder) ? Number(pid) : undefined
    }),
  )
  return found.flatMap((pid) => pid ?? [])
}

/** Everything of requests that is not finished: work folders, temporary names, sessions without their record. */
export async function unfinished(dataDir: string): Promise<string[]> {
  const [work, temporary, sessions] = await Promise.all(
    ['work', 'store/@tmp', 'store/sessions'].map((name) => entriesBelow(join(dataDir, name))),
  )
  const half = (sessions ?? []).filter(
    (entry) => entry.includes('/') && !sessions?.includes(`${entry.split('/')[0]}/session.json`),
  )
  return [...(work ?? []), ...(temporary ?? []), ...half]
}

/** Names of the sessions in a store, finished or not. */
export async function sessionsIn(dataDir: string): Promise<string[]> {
  return (await readdir(join(dataDir, 'store/sessions')).catch((): string[] => [])).sort()
}

/** Whether the files of a session are being stored that has no record yet. */
export async function isStoring(dataDir: string): Promise<boolean> {
  for (const session of await sessionsIn(dataDir)) {
    const objects = await readdir(join(dataDir, 'store/sessions', session))
    if (objects.length > 0 && !objects.includes('session.json')) return true
  }
  return false
}

/**
 * Waits until nothing that a request made is left: no program, no file. The contract gives it two seconds, and this a busy
 * machine twenty: still less than the 30 s that the films of these tests take when they are not ended.
 */
export async function allGone({ dataDir }: Pick<ProcessHost, 'dataDir'>): Promise<void> {
  let left: readonly unknown[] = []
  const isGone = async () => {
    left = [...(await programsOn(dataDir)), ...(await unfinished(dataDir))]
    return left.length === 0
  }
  await until('no program and no file is left', isGone, { ms: 20_000 }).catch((error: Error) => {
    throw new Error(`${error.message}: ${left.join(', ')}`)
  })
}

/** Waits until a program works on the server's files. */
export function isWorking({ dataDir }: Pick<ProcessHost, 'dataDir'>): Promise<number> {
  return until('a program is at work', async () => (await programsOn(dataDir)).length > 0)
}

/** Starts Node hosts for a suite, which are killed after each test. */
export function hostsOfEachTest<T>(
  test: Pick<Test<T>, 'after'>,
): (settings?: Settings) => Promise<ProcessHost> {
  const hosts: ProcessHost[] = []
  test.after.each(async () => {
    for (const host of hosts) host.server.signal('SIGKILL')
    await Promise.all(hosts.splice(0).map((host) => host.stop()))
  })
  return async (settings = {}) => {
    const host = await startNodeHost(settings)
    hosts.push(host)
    return host
  }
}

/** A client that asks, and leaves while a program works for it; resolves when nothing of the request is left. */
export async function leaveAtWork(
  host: ProcessHost,
  ask: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const leaver = new AbortController()
  const answer = ask(leaver.signal)
  await isWorking(host)
  leaver.abort()
  await answer.catch(() => undefined)
  await allGone(host)
}
