import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { workerPath } from '../process/workerPath'
import type { MachineTask } from './remoteMachineWorker'

export type RemoteMachine = {
  /** Several may be under way at once. @throws Error with what went wrong there */
  run(order: MachineTask): Promise<number>
  close(): Promise<void>
}

type Answer = { readonly result?: number; readonly problem?: string }

/** Starts tests/support/easytier/remoteMachineWorker.ts. @param inside put before it: `ip netns exec NAME` */
export function startRemoteMachine(inside: readonly string[]): RemoteMachine {
  // Built into each test file, wherever in the tests that lies.
  const worker = workerPath('support/easytier/remoteMachineWorker')
  const [file = '', ...args] = [...inside, process.execPath, worker]
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = new Map<number, (answer: Answer) => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, ...answer } = JSON.parse(line) as Answer & { id: number }
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
      const answer = new Promise<Answer>((resolve) => waiting.set(id, resolve))
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
