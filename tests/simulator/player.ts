import { sleep } from '@lantern-room/base/async'
import { RoomFailure } from '@lantern-room/room'
import type { NetworkConnection } from '@lantern-room/room/network'
import type { Home, SimulationContext } from './simulationContext'

/** A program that hosts or joins, may be ended at any time, and tries again when it fails. */
export type Player = {
  readonly name: string
  readonly home: Home
  start(): void
  /** The program is gone at once. @param isPowerLoss nobody is told */
  crash(isPowerLoss: boolean): void
  /** Ends it in order. */
  stop(): void
  /** Looks at limits. */
  check(): void
  /** What is wrong when all faults are over for long enough. */
  complaint(): string | undefined
  /** What has not ended although it was stopped. */
  readonly leftovers: readonly string[]
}

/** One start of a program, until it is ended. */
export type Run = {
  readonly number: number
  readonly signal: AbortSignal
  /** Work that has to be over some time after the end. */
  keep(name: string, work: Promise<unknown>): void
}

const AGAIN_MS = 500

export function createPlayer(
  place: SimulationContext,
  name: string,
  home: Home,
  role: {
    /** Opens a session. */
    readonly open: (run: Run) => Promise<Pick<NetworkConnection, 'closed'>>
    readonly check: () => void
    readonly complaint: () => string | undefined
  },
): Player {
  const { trace } = place
  const leftovers = new Map<string, number>()
  let runs = 0
  let attempt: AbortController | undefined

  const keep = (what: string, work: Promise<unknown>) => {
    leftovers.set(what, (leftovers.get(what) ?? 0) + 1)
    const done = () => {
      const left = (leftovers.get(what) ?? 0) - 1
      if (left > 0) leftovers.set(what, left)
      else leftovers.delete(what)
    }
    work.then(done, (error: unknown) => {
      done()
      trace.violate(`${name}: ${what} failed: ${describe(error)}`)
    })
  }
  const end = (reason: string) => {
    attempt?.abort(new Error(reason))
    attempt = undefined
  }

  return {
    name,
    home,
    check: role.check,
    complaint: role.complaint,
    start() {
      if (attempt) return
      attempt = new AbortController()
      runs += 1
      const run: Run = { number: runs, signal: attempt.signal, keep }
      keep(`run ${runs}`, persist(run))
    },
    crash(isPowerLoss) {
      if (isPowerLoss) home.machine.setOnline(false)
      home.machine.kill()
      home.machine.setOnline(true)
      end('killed')
    },
    stop: () => end('stopped'),
    get leftovers() {
      return [...leftovers].map(([what, count]) => `${name}: ${count} × ${what}`)
    },
  }

  /** A player who starts anew as long as it fails. */
  async function persist(run: Run): Promise<void> {
    const { signal } = run
    while (!signal.aborted) {
      try {
        await playSession(run)
      } catch (error) {
        if (signal.aborted) return
        noteFailure(error)
      }
      await sleep(home.clock, AGAIN_MS, signal).catch(() => undefined)
    }
  }

  async function playSession(run: Run): Promise<void> {
    const session = await role.open(run)
    trace.note(`${name} has a session`)
    await session.closed
    if (!run.signal.aborted) trace.violate(`${name}: a session ended by itself`)
  }

  function noteFailure(error: unknown): void {
    trace.note(`${name} failed: ${describe(error)}`)
    if (!(error instanceof RoomFailure)) trace.violate(`${name}: an undefined failure: ${describe(error)}`)
  }
}

export function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}
