import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { workerPath } from './workerPath'

export type PortProcess = {
  readonly child: ChildProcess
  /** The next line that it says. Fails when it ends without one. */
  line(): Promise<string>
  /** What it said and has not been read, once it has ended, and its exit code or signal. */
  ended(): Promise<{ readonly lines: readonly string[]; readonly exit: number | string | null }>
  kill(): Promise<void>
}

/** Starts tests/support/process/portWorker.ts, or another worker that says what it does in lines. */
export function startPortProcess(
  args: readonly string[],
  // Built into each test file, wherever in the tests that lies.
  worker = workerPath('support/process/portWorker'),
): PortProcess {
  const child = spawn(process.execPath, [worker, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const closed = once(child, 'close')
  return {
    child,
    async line() {
      const { value, done } = await lines.next()
      if (done) throw new Error(`The process ended: ${(await closed).join(' ')}`)
      return value
    },
    async ended() {
      const left: string[] = []
      for await (const line of { [Symbol.asyncIterator]: () => lines }) left.push(line)
      const [code, signal] = await closed
      return { lines: left, exit: signal ?? code }
    },
    async kill() {
      child.kill('SIGKILL')
      await closed
    },
  }
}
