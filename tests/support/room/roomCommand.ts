import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { projectRoot } from '../process/serverProcess'
import type { Context } from '../runner/registry'
import type { Test } from '../runner/suite'

/** The built program, as package.json names it. */
const roomProgram = join(projectRoot, 'dist/local-runner/room.mjs')

export type RoomCommand = {
  readonly child: ChildProcessWithoutNullStreams
  stdout(): string
  stderr(): string
  /** Waits for a match on standard output, or on standard error. */
  said(pattern: RegExp, timeoutMs?: number): Promise<RegExpExecArray>
  /** Sends a signal and waits. @returns exit code, or the signal that ended it; and how many milliseconds it took */
  stop(signal: NodeJS.Signals): Promise<{ readonly exit: number | NodeJS.Signals; readonly ms: number }>
  /**
   * @throws unless it stopped in less than two seconds. A machine that is busy has longer: twice the time from the start of
   *   the program to its first words, which an idle one needs half a second for.
   */
  isPrompt(ms: number): void
  /** Exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>
}

/** Starts `room …` on loopback, with the given settings and no others. Standard input stays open. */
export function startRoomCommand(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): RoomCommand {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'SystemRoot', 'TEST_PROCESS_MARKS']
  const own = Object.entries(process.env).filter(([name]) => kept.includes(name))
  const child = spawn(process.execPath, [roomProgram, ...args], {
    cwd: projectRoot,
    env: {
      ...Object.fromEntries(own),
      ROOM_LAN_INTERFACES: '127.0.0.1',
      ROOM_NODES: '',
      ROOM_STUN: '',
      ROOM_PORT: '0',
      SCAFFOLDING_PORT: '23448',
      ROOM_HEARTBEAT_MS: '500',
      ...settings,
    },
  })
  const startedAt = performance.now()
  let firstWordsMs = 0
  const text = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      firstWordsMs ||= performance.now() - startedAt
      text[name] += chunk
    })
  child.stdin.on('error', () => undefined)
  let exit: number | NodeJS.Signals | undefined
  const ended = once(child, 'close').then(([code, signal]): number | NodeJS.Signals => {
    exit = signal ?? code
    return signal ?? code
  })
  return {
    child,
    ended,
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    async said(pattern, timeoutMs = 180_000) {
      for (const until = Date.now() + timeoutMs; ; await sleep(10)) {
        const match = pattern.exec(text.stdout) ?? pattern.exec(text.stderr)
        if (match) return match
        if (exit !== undefined || Date.now() >= until) break
      }
      throw new Error(`It never said ${pattern} (${exit ?? 'running'}).\n${text.stdout}\n${text.stderr}`)
    },
    async stop(signal) {
      const stoppedAt = performance.now()
      child.kill(signal)
      return { exit: await ended, ms: performance.now() - stoppedAt }
    },
    isPrompt(ms) {
      const limit = 2000 + 2 * firstWordsMs
      if (ms > limit) throw new Error(`It stopped after ${ms} ms, later than ${limit} ms.`)
    },
  }
}

/** Runs it to its end. */
export async function runRoomCommand(
  args: readonly string[],
  settings?: Readonly<Record<string, string>>,
): Promise<{
  readonly exit: number | NodeJS.Signals
  readonly stdout: string
  readonly stderr: string
}> {
  const command = startRoomCommand(args, settings)
  const exit = await command.ended
  return { exit, stdout: command.stdout(), stderr: command.stderr() }
}

/** The line of JSON with which a command says where it listens. */
export async function listening<Line = { event: string; url: string; port: number; pid: number }>(
  command: RoomCommand,
): Promise<Line> {
  const [line] = await command.said(/^\{"event":"listening".*\}$/m)
  return JSON.parse(line) as Line
}

export type TestCommands = {
  start(args: readonly string[], settings?: Readonly<Record<string, string>>): RoomCommand
  /** A folder for DATA_DIR. */
  makeFolder(): Promise<string>
}

/** Commands and folders of a suite: after each test the commands are killed, and the folders removed. */
export function testCommands(test: Pick<Test<Context>, 'after'>): TestCommands {
  const started: RoomCommand[] = []
  const folders: string[] = []
  test.after.each(async () => {
    for (const { child, ended } of started.splice(0)) {
      child.kill('SIGKILL')
      await ended
    }
    await Promise.all(folders.splice(0).map((folder) => removeFolders(folder)))
  })
  return {
    start(args, settings) {
      const command = startRoomCommand(args, settings)
      started.push(command)
      return command
    },
    async makeFolder() {
      const folder = await makeTempFolder('room')
      folders.push(folder)
      return folder
    },
  }
}
