import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findProgram } from '#support/process/findProgram'
import { type ServerProcess, type Settings, startServer } from '#support/process/serverProcess'
import { folderOfSuite } from '#support/process/tempFolder'

const run = promisify(execFile)

/** Debian's package `wine64` puts its programs here. */
const FOLDER = '/usr/lib/wine'

/** As for a user of Windows, some ports are forbidden; Wine's server binds them, and the first program starts it. */
const WITHOUT_LOW_PORTS =
  process.getuid?.() === 0 && findProgram('setpriv') !== undefined
    ? ['setpriv', '--bounding-set=-net_bind_service', '--inh-caps=-net_bind_service']
    : []

/** Runs programs for Windows, in a Windows of their own that is removed at the end. */
export type Wine = {
  /** Starts a program; all that it says goes to `output`, because a pipe is no output for Node under Wine. */
  start(program: string, args: readonly string[], settings?: Settings): WineProcess
  /** A path of this machine as Windows programs see it. */
  path(path: string): string
  close(): Promise<void>
}

export type WineProcess = Pick<ServerProcess, 'pid' | 'signal' | 'end' | 'ended'> & {
  /** What it has said so far. */
  output(): Promise<string>
}

export function findWine(): string | undefined {
  return [join(FOLDER, 'wine64'), findProgram('wine64'), findProgram('wine')].find(
    (path) => path !== undefined && existsSync(path),
  )
}

/** A new Windows 10. Takes some seconds. */
export async function openWine(): Promise<Wine> {
  const wine = findWine() ?? ''
  // Removed when this process ends: a program that was just starting may start the server once more.
  const folder = await folderOfSuite('wine')
  // No display, and neither .NET nor a browser, which it would offer to download.
  const env = {
    WINEPREFIX: join(folder, 'prefix'),
    WINEDEBUG: '-all',
    WINEDLLOVERRIDES: 'mscoree,mshtml=',
    DISPLAY: '',
    // The one of the tests is no program of Windows.
    FFMPEG_PATH: '',
    // Where its server's socket lies, to be removed with the rest.
    XDG_RUNTIME_DIR: folder,
  }
  const server = existsSync(join(FOLDER, 'wineserver')) ? join(FOLDER, 'wineserver') : 'wineserver'
  const wineserver = (option: string) =>
    run(server, [option], { env: { ...process.env, ...env } }).catch(() => undefined)
  const programs = new Set<WineProcess>()
  let outputs = 0

  const start: Wine['start'] = (program, args, settings = {}) => {
    outputs += 1
    const output = join(folder, `output-${outputs}`)
    const command = [...WITHOUT_LOW_PORTS, wine, program, ...args]
    const inFile = ['-c', 'out=$1; shift; exec "$@" >"$out" 2>&1', 'sh', output, ...command]
    const { pid, signal, end, ended } = startServer(inFile, { ...env, ...settings }, '/bin/sh')
    const started = { pid, signal, end, ended, output: () => readFile(output, 'utf8').catch(() => '') }
    programs.add(started)
    void ended.then(() => programs.delete(started))
    return started
  }
  const windows10 = [
    ['HKLM\\Software\\Microsoft\\Windows NT\\CurrentVersion', 'CurrentVersion', '10.0'],
    ['HKCU\\Software\\Wine', 'Version', 'win10'],
  ] as const
  await start('wineboot', ['-i']).ended
  for (const [key, name, value] of windows10)
    await start('reg', ['add', key, '/v', name, '/d', value, '/f']).ended

  return {
    start,
    path: (path) => `Z:${path.replaceAll('/', '\\')}`,
    async close() {
      for (const { signal } of programs) signal('SIGKILL')
      await wineserver('-k')
      await wineserver('-w')
    },
  }
}

/** Waits for what appears in a file. @throws with `explain` after `timeoutMs` */
export async function fileSays(
  path: string,
  pattern: RegExp,
  explain: () => Promise<string>,
  timeoutMs = 180_000,
): Promise<RegExpExecArray> {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await sleep(50)) {
    const match = pattern.exec(await readFile(path, 'utf8').catch(() => ''))
    if (match) return match
  }
  throw new Error(`${path} never said ${pattern}.\n${await explain()}`)
}
