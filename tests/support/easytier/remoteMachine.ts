import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { workerPath } from '../process/workerPath'

/** What can be done on a machine; ports are those of its loopback. */
export type MachineTask =
  /**
   * Opens a world that sends back what it is told, by TCP and UDP, and is announced on the LAN of an address of this machine
   * if one is given. Its result is the port.
   */
  | { readonly do: 'world'; readonly announcedOn?: string }
  | { readonly do: 'closeWorld'; readonly port: number }
  /** How many connections a world has now. */
  | { readonly do: 'connections'; readonly port: number }
  /** Plays: a connection that is open until its other end closes it. Its result comes once it has carried something. */
  | { readonly do: 'play'; readonly port: number }
  /** Serves the room protocol, as a launcher beside the real program. `record` names a file for `readDialogue`. */
  | {
      readonly do: 'roomProtocol'
      readonly port: number
      readonly gamePort: number
      readonly record?: string
    }
  /** Speaks the room protocol as a guest, and asks for the list of players. Its result is the port of the game. */
  | { readonly do: 'greet'; readonly port: number; readonly record?: string }
  /** The results of these are milliseconds. */
  | { readonly do: 'firstEcho'; readonly port: number; readonly limitMs: number }
  | { readonly do: 'echo'; readonly port: number; readonly size: number; readonly isText: boolean }
  | {
      readonly do: 'datagrams'
      readonly port: number
      readonly sizes: readonly number[]
      readonly limitMs: number
    }

export type RemoteMachine = {
  /** Several may be under way at once. @throws Error with what went wrong there */
  run(order: MachineTask): Promise<number>
  close(): Promise<void>
}

/** Starts tests/support/easytier/remoteMachineWorker.ts. @param inside put before it: `ip netns exec NAME` */
export function startRemoteMachine(inside: readonly string[]): RemoteMachine {
  // Built into each test file, wherever in the tests that lies.
  const worker = workerPath('easytier/remoteMachineWorker')
  const [file = '', ...args] = [...inside, process.execPath, worker]
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = new Map<number, (answer: { result?: number; problem?: string }) => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, ...answer } = JSON.parse(line) as { id: number; result?: number; problem?: string }
    waiting.get(id)?.(answer)
    waiting.delete(id)
  })
  const ended = once(child, 'close')
  void ended.then(() => {
    for (const answer of waiting.values()) answer({ problem: 'the process ended' })
  })
  let orders = 0
  return {
    async run(order) {
      const id = orders++
      const answer = new Promise<{ result?: number; problem?: string }>((resolve) => waiting.set(id, resolve))
      child.stdin.write(`${JSON.stringify({ id, order })}\n`)
      const { result, problem } = await answer
      if (problem !== undefined) throw new Error(`${order.do}: ${problem}`)
      return result ?? 0
    },
    async close() {
      child.stdin.end()
      await ended
    },
  }
}
