import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { workerPath } from './workerPath'

/** The top of the project; tests are built into `dist/tests`, into each file what it imports. */
export const projectRoot = fileURLToPath(import.meta.url.replace(/\/dist\/tests\/.*$/, '/'))

export type ServerProcess = {
  readonly pid: number
  /** All that it has said so far. */
  stdout(): string
  stderr(): string
  /** Resolves with the first match in what it says. @throws with its words when it ends without, or takes too long */
  said(pattern: RegExp, timeoutMs?: number): Promise<RegExpExecArray>
  signal(name: NodeJS.Signals): void
  /** Sends a signal, SIGTERM unless said otherwise, and waits for the end. */
  end(name?: NodeJS.Signals): Promise<void>
  /** Exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>
}

/**
 * Starts a program of this project with only the given settings: those of whoever runs the tests are left out.
 * @param program Node, unless said otherwise
 */
export function startServer(
  args: readonly string[],
  settings: Settings,
  program = process.execPath,
): ServerProcess {
  const child = spawn(program, args, {
    cwd: projectRoot,
    // No proxy has to turn away from a host of a test before it ends.
    env: { ...withoutSettings(process.env), DRAIN_SECONDS: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return observe(child)
}

/** What a program says that was just started, and how it ends. */
export function observe(child: ChildProcessByStdio<Writable | null, Readable, Readable>): ServerProcess {
  const text = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk
    })
  let exit: number | NodeJS.Signals | undefined
  const ended = once(child, 'close').then(([code, signal]): number | NodeJS.Signals => {
    exit = signal ?? code
    return signal ?? code
  })
  return {
    pid: child.pid ?? 0,
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    ended,
    signal: (name) => void child.kill(name),
    async end(name = 'SIGTERM') {
      child.kill(name)
      await ended
    },
    async said(pattern, timeoutMs = 180_000) {
      for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await sleep(20)) {
        const match = pattern.exec(text.stdout) ?? pattern.exec(text.stderr)
        if (match) return match
        if (exit !== undefined) break
      }
      throw new Error(
        `It never said ${pattern} (${exit ?? 'still running'}).\n${text.stdout}\n${text.stderr}`,
      )
    },
  }
}

/** The same of a whole command, such as one that begins with `ip netns exec NAME`. */
export function startCommand([program, ...args]: readonly string[], settings: Settings = {}): ServerProcess {
  return startServer(args, settings, program)
}

/**
 * Starts a worker of the tests.
 * @param name as for `workerPath`
 * @param inside put before the command, as `ip netns exec NAME`
 */
export function startWorker(
  name: string,
  args: readonly string[],
  inside: readonly string[] = [],
): ServerProcess {
  return startCommand([...inside, process.execPath, workerPath(name), ...args])
}

/** Environment variables of the project. */
export type Settings = Readonly<Record<string, string>>

const SETTINGS =
  /^(MEDIA_|ROOM_|SCAFFOLDING_PORT|S3_|MAX_|SESSION_TTL|PREPARE_|CONVERT_TIMEOUT|(DATA_DIR|PUBLIC_BASE_URL|TRUST_PROXY|ALLOWED_ORIGINS|PREVIEW_SIZE|DRAIN_SECONDS|LOG_LEVEL|IS_OFFLINE)$)/

function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !SETTINGS.test(name)))
}

/**
 * A port that nobody listens on now. It is below those that systems give to connections (on Linux from 32768), so that no
 * connection of another process takes it before a program listens there.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(26_000, 32_768)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    await once(server.close(), 'close')
    return port
  }
}
