import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Environment } from '@lantern-room/base/settings'

const run = promisify(execFile)

const KEY = 'HKCU\\Software\\Classes\\lantern-room'
const COMMAND = `${KEY}\\shell\\open\\command`
const DESKTOP_FILE = 'lantern-room.desktop'

/**
 * Has the system start a program for links that begin with `lantern-room:`, for this user, unless it does already. Without effect on
 * macOS, where only an app bundle can have links of its own.
 * @param program absolute path of the executable, which gets `open -- <link>`
 * @throws the system's error
 * @example await registerLinks(process.execPath, { platform: process.platform, env: process.env })
 */
export async function registerLinks(
  program: string,
  { platform, env }: { readonly platform: NodeJS.Platform; readonly env: Environment },
): Promise<void> {
  if (platform === 'win32') return register(program, `${env.SystemRoot || 'C:\\Windows'}\\System32\\reg.exe`)
  if (platform !== 'linux') return
  const folder = join(env.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'applications')
  const path = join(folder, DESKTOP_FILE)
  const text = desktopEntry(program)
  if ((await readFile(path, 'utf8').catch(() => '')) === text) return
  await mkdir(folder, { recursive: true })
  await writeFile(path, text)
  await run('xdg-mime', ['default', DESKTOP_FILE, 'x-scheme-handler/lantern-room'], { env: { ...env } })
}

async function register(program: string, reg: string): Promise<void> {
  const known = await run(reg, ['query', COMMAND, '/ve']).catch(() => ({ stdout: '' }))
  if (known.stdout.includes(startOf(program))) return
  for (const values of registryValues(program)) await run(reg, ['add', ...values, '/f'])
}

/** @see https://learn.microsoft.com/en-us/previous-versions/windows/internet-explorer/ie-developer/platform-apis/aa767914(v=vs.85) */
export function registryValues(program: string): readonly (readonly string[])[] {
  return [
    [KEY, '/ve', '/d', 'URL:Lantern Room'],
    [KEY, '/v', 'URL Protocol', '/d', ''],
    [COMMAND, '/ve', '/d', startOf(program)],
  ]
}

/** Behind `--` nothing is an option: a link with a quotation mark, from a program that passes it on as it is, cannot add any. */
function startOf(program: string): string {
  return `"${program}" open -- "%1"`
}

/** @see https://specifications.freedesktop.org/desktop-entry-spec/latest/exec-variables.html */
export function desktopEntry(program: string): string {
  // Quoted once for the command and once for the file's strings.
  const quoted = program
    .replaceAll(/["`$\\]/g, '\\$&')
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')
  return `[Desktop Entry]
Type=Application
Name=Lantern Room
Exec="${quoted}" open -- %u
Terminal=true
NoDisplay=true
MimeType=x-scheme-handler/lantern-room;
`
}
