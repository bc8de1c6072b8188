import { spawn } from 'node:child_process'
import type { Environment } from '@lantern-room/base/settings'

/** A program with its arguments, started without a shell. */
type Opener = { readonly command: string; readonly args: readonly string[] }

/** An opener that still runs after this time has become the browser, or waits for it. */
const STARTED_MS = 3000

/**
 * Opens an address in the user's browser.
 * @param on.env of the opener; its PATH is searched
 * @returns whether a program took the address: false without a desktop, or when there is no such program. Never rejects
 * @example if (!(await openInBrowser(url, { platform: process.platform, env: process.env }))) console.log(url)
 */
export async function openInBrowser(
  url: string,
  on: { readonly platform: NodeJS.Platform; readonly env: Environment },
): Promise<boolean> {
  for (const opener of openersOf(url, on)) {
    if (await start(opener, on.env)) return true
  }
  return false
}

/** What opens the address on a system, the most usual one first. None of them is a shell, so nothing in it is a command. */
export function openersOf(
  url: string,
  { platform, env }: { readonly platform: NodeJS.Platform; readonly env: Environment },
): readonly Opener[] {
  if (platform === 'darwin') return [{ command: '/usr/bin/open', args: [url] }]
  if (platform === 'win32') {
    // By its full path: Windows looks into the current folder before it looks into its own.
    const command = `${env.SystemRoot || env.SYSTEMROOT || 'C:\\Windows'}\\System32\\rundll32.exe`
    return [{ command, args: ['url.dll,FileProtocolHandler', url] }]
  }
  // Without a desktop `xdg-open` would start a browser for terminals, in none.
  const hasDesktop = [env.DISPLAY, env.WAYLAND_DISPLAY, env.BROWSER, env.WSL_DISTRO_NAME].some(Boolean)
  if (!hasDesktop) return []
  return [
    { command: 'xdg-open', args: [url] },
    { command: 'wslview', args: [url] },
  ]
}

function start({ command, args }: Opener, env: Environment): Promise<boolean> {
  return new Promise((resolve) => {
    // In a group of its own: Ctrl-C in this terminal is not for the browser.
    const child = spawn(command, args, {
      detached: true,
      stdio: 'ignore',
      windowsHide: true,
      env: { ...env },
    })
    const timer = setTimeout(() => resolve(true), STARTED_MS)
    const settle = (isOpen: boolean) => {
      clearTimeout(timer)
      resolve(isOpen)
    }
    child.once('error', () => settle(false))
    child.once('exit', (code) => settle(code === 0))
    child.unref()
  })
}
