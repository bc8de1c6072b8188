import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { join } from 'node:path'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import type { Ended } from '../process/commandLine'
import { observe, projectRoot, type ServerProcess } from '../process/serverProcess'
import type { Test } from '../runner/suite'

/** The built program, as package.json names it. */
const roomProgram = join(projectRoot, 'dist/local-runner/room.mjs')

export type RoomCommand = ServerProcess & {
  readonly child: ChildProcessWithoutNullStreams
  /** Sends a signal and waits. @returns exit code, or the signal that ended it; and how many milliseconds it took */
  stop(signal: NodeJS.Signals): Promise<{ readonly exit: number | NodeJS.Signals; readonly ms: number }>
  /**
   * @throws unless it stopped in less than two seconds. A machine that is busy has longer: twice the time from the start of
   *   the program to its first words, which an idle one needs half a second for.
   */
  isPrompt(ms: number): void
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
  for (const output of [child.stdout, child.stderr])
    output.once('data', () => {
      firstWordsMs ||= performance.now() - startedAt
    })
  child.stdin.on('error', () => undefined)
  const observed = observe(child)
  return {
    ...observed,
    child,
    async stop(signal) {
      const stoppedAt = performance.now()
      await observed.end(signal)
      return { exit: await observed.ended, ms: performance.now() - stoppedAt }
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
): Promise<Ended> {
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
export function testCommands(test: Pick<Test<Record<string, unknown>>, 'after'>): TestCommands {
  const started: RoomCommand[] = []
  const folders: string[] = []
  test.after.each(async () => {
    for (const command of started.splice(0)) await command.end('SIGKILL')
    await removeFolders(...folders.splice(0))
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
