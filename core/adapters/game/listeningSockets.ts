import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { SocketAddress } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { ListeningSocket, MachineWorlds } from '@lantern-room/game/ports'
import { runProcess } from '../process/processRunner'

/** The system's tools are given up after this time. */
const TOOL_MS = 3000
const MAX_OUTPUT = 4 * 1024 * 1024
/** `/proc/<pid>/comm`. */
const JAVA = /^javaw?$/
/** State of a socket in `/proc/net/tcp`. */
const LISTEN = '0A'

/**
 * The TCP sockets of this machine that listen: from `/proc` on Linux; by `netstat` and `tasklist` on Windows; by `lsof` on macOS,
 * where only those of this user's Java programs are seen; none on other systems. Processes may end at any time meanwhile.
 * @param env tells where Windows is
 * @param platform whose way is used. @default that of this process
 * @returns reads them anew; never rejects: what the system does not tell in 3 s is left out
 * @example const worlds = (await createListening(process.env)(signal)).filter(({ isJava, isOfUser }) => isJava && isOfUser)
 */
export function createListening(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): MachineWorlds['listening'] {
  const list = LISTS[platform]
  return async (signal) => {
    try {
      return (await list?.(signal, env.SystemRoot ?? 'C:\\Windows')) ?? []
    } catch {
      return []
    }
  }
}

type List = (signal: AbortSignal, windows: string) => Promise<readonly ListeningSocket[]>

const LISTS: Partial<Record<NodeJS.Platform, List>> = {
  linux: async () => listenersIn('/proc'),

  async win32(signal, windows) {
    const folder = join(windows, 'System32')
    const ofUser = ['/FI', 'IMAGENAME eq java*', '/FI', `USERNAME eq ${userInfo().username}`]
    const [sockets, tasks] = await Promise.all([
      outputOf(join(folder, 'netstat.exe'), ['-ano'], signal),
      outputOf(join(folder, 'tasklist.exe'), ['/FO', 'CSV', '/NH', ...ofUser], signal),
    ])
    return parseNetstat(sockets, parseTasklist(tasks))
  },

  async darwin(signal) {
    const java = ['-a', '-u', String(userInfo().uid), '-c', 'java', '-iTCP', '-sTCP:LISTEN']
    return parseLsof(await outputOf('/usr/sbin/lsof', ['-nP', ...java, '-Fn'], signal))
  },
}

async function outputOf(file: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  const task = { file, args, signal, timeoutMs: TOOL_MS, maxOutputBytes: MAX_OUTPUT }
  const { stdout } = await runProcess(task)
  return new TextDecoder('latin1').decode(stdout)
}

/** @param folder `/proc`, or a copy. Its files are in memory, so that reading them at once is faster than taking turns. */
export function listenersIn(folder: string, uid: number = userInfo().uid): readonly ListeningSocket[] {
  const sockets = ['tcp', 'tcp6'].flatMap((table) => socketsIn(join(folder, 'net', table)))
  if (sockets.length === 0) return []
  const java = javaSocketsIn(folder)
  return sockets.map(({ address, port, owner, inode }) => ({
    address,
    port,
    isJava: java.has(inode),
    isOfUser: owner === uid,
  }))
}

/** @see proc_net_tcp.rst in the documentation of Linux */
function socketsIn(path: string) {
  const lines = attempt(() => readFileSync(path, 'latin1'), '')
  return lines.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , owner, , inode = ''] = line.trim().split(/\s+/)
    const [bytes = '', port = ''] = local.split(':')
    const address = state === LISTEN ? addressOf(bytes) : undefined
    return address === undefined
      ? []
      : [{ address, port: Number.parseInt(port, 16), owner: Number(owner), inode }]
  })
}

/** Words of four bytes, each in the processor's order. @returns undefined for what cannot be connected to without its interface */
function addressOf(hex: string): string | undefined {
  const words = [...hex.matchAll(/[0-9A-F]{8}/g)].map(([word]) => Buffer.from(word, 'hex').reverse())
  const bytes = Buffer.concat(words)
  if (bytes.length === 4) return bytes.join('.')
  if (bytes.length !== 16) return undefined
  // Java listens on IPv4 addresses by sockets of IPv6, too.
  if (bytes.subarray(0, 12).toString('hex') === `${'00'.repeat(10)}ffff`) return bytes.subarray(12).join('.')
  if (bytes[0] === 0xfe && ((bytes[1] ?? 0) & 0xc0) === 0x80) return undefined
  const address = bytes.toString('hex').replace(/(.{4})(?!$)/g, '$1:')
  return new SocketAddress({ address, family: 'ipv6' }).address
}

/** The inodes of the sockets of Java programs, as far as this user may see them. */
function javaSocketsIn(folder: string): ReadonlySet<string> {
  const inodes = new Set<string>()
  for (const pid of attempt(() => readdirSync(folder), []).filter((name) => /^\d+$/.test(name))) {
    if (!JAVA.test(attempt(() => readFileSync(join(folder, pid, 'comm'), 'latin1').trim(), ''))) continue
    for (const file of attempt(() => readdirSync(join(folder, pid, 'fd')), [])) {
      const target = attempt(() => readlinkSync(join(folder, pid, 'fd', file)), '')
      const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1]
      if (inode !== undefined) inodes.add(inode)
    }
  }
  return inodes
}

/** @returns `otherwise` where the process has ended, or is another user's */
function attempt<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}

// What the tools of Windows and macOS print about sockets, read without regard to the language of the system.

/** `tasklist /FO CSV /NH`: `"javaw.exe","4242","Console","1","1,234,567 K"`. @returns the ids of the processes */
export function parseTasklist(output: string): ReadonlySet<number> {
  return new Set([...output.matchAll(/^"[^"]*","(\d+)"/gm)].map(([, pid]) => Number(pid)))
}

/**
 * `netstat -ano`: `  TCP    0.0.0.0:25565    0.0.0.0:0    LISTENING    4242`. The state is in the system's language; a socket that
 * listens has no other side.
 * @param java the ids of this user's Java programs
 */
export function parseNetstat(output: string, java: ReadonlySet<number>): readonly ListeningSocket[] {
  const lines = output.matchAll(/^\s*TCP\s+(\S+)\s+(?:0\.0\.0\.0|\[::\]):0\s.*?(\d+)\s*$/gm)
  return [...lines].flatMap(([, local = '', pid]) => {
    const isJava = java.has(Number(pid))
    return socketAt(local, { isJava, isOfUser: isJava })
  })
}

/** `lsof -Fn` for this user's Java programs: lines of `n*:25565`, `n127.0.0.1:25565` or `n[::1]:25565`. */
export function parseLsof(output: string): readonly ListeningSocket[] {
  const names = output.matchAll(/^n(\S+)$/gm)
  return [...names].flatMap(([, local = '']) => socketAt(local, { isJava: true, isOfUser: true }))
}

function socketAt(
  local: string,
  owner: Pick<ListeningSocket, 'isJava' | 'isOfUser'>,
): readonly ListeningSocket[] {
  const [, address = '', port] = /^\[?(.*?)\]?:(\d{1,5})$/.exec(local) ?? []
  // A link-local address means nothing without its interface.
  if (port === undefined || /^fe[89ab]/i.test(address)) return []
  return [{ address: address === '*' ? '::' : address, port: Number(port), ...owner }]
}
