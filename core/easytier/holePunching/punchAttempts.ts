import type { Log } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import { onAbort } from '@lantern-room/base/async'
import type { Peer } from '../peer/peer'
import {
  type AttemptGoal,
  type AttemptState,
  afterFailure,
  afterNews,
  initialState,
  type PunchFailure,
} from './attemptState'
import type { PunchStrategy } from './strategies/punchPlan'
import { CallRefused } from './strategies/rpcClient'

/** A member without a direct connection, or without a good one, that should have one. */
export type PunchTarget = AttemptGoal & {
  readonly peerId: number
  readonly strategies: readonly PunchStrategy[]
}

export type PunchAttemptsOptions = {
  readonly clock: Clock
  readonly log: Log
  /** One run. It may also end without an error when it has failed: success is a connection, which aborts the signal. */
  readonly punch: (
    strategy: PunchStrategy,
    peerId: number,
    failures: number,
    signal: AbortSignal,
  ) => Promise<void>
}

type Attempt = {
  readonly peerId: number
  state: AttemptState
  /** Ends the pause or the run. */
  stop: () => void
}

/** Runs the attempts to reach members: one at a time for each member and strategy. */
export class PunchAttempts {
  readonly #options: PunchAttemptsOptions
  readonly #signal: AbortSignal
  readonly #attempts = new Map<string, Attempt>()

  /** Ends all of them when the signal aborts. */
  static open(options: PunchAttemptsOptions, signal: AbortSignal): PunchAttempts {
    const attempts = new PunchAttempts(options, signal)
    onAbort(signal, () => attempts.#forgetAll())
    return attempts
  }

  private constructor(options: PunchAttemptsOptions, signal: AbortSignal) {
    this.#options = options
    this.#signal = signal
  }

  /** Starts attempts for new targets, ends those that are no longer wanted, and starts over where NAT types have changed. */
  update(targets: readonly PunchTarget[]): void {
    if (this.#signal.aborted) return
    const goals = goalsByKey(targets)
    for (const [key, attempt] of this.#attempts) if (!goals.has(key)) this.#forget(key, attempt)
    for (const [key, goal] of goals) this.#setGoal(key, goal)
  }

  /** Forgets failures. */
  restart(targets: readonly PunchTarget[]): void {
    this.#forgetAll()
    this.update(targets)
  }

  #setGoal(key: string, { strategy, target }: Goal): void {
    const known = this.#attempts.get(key)
    if (known) {
      this.#enter(key, known, afterNews(known.state, target))
      return
    }
    const attempt = { peerId: target.peerId, state: initialState(strategy, target), stop: () => {} }
    this.#attempts.set(key, attempt)
    this.#startPause(key, attempt)
  }

  #enter(key: string, attempt: Attempt, state: AttemptState): void {
    if (state === attempt.state) return
    attempt.state = state
    this.#startPause(key, attempt)
  }

  #startPause(key: string, attempt: Attempt): void {
    const { pauseMs } = attempt.state
    if (pauseMs === undefined) return
    attempt.stop()
    if (pauseMs === Number.POSITIVE_INFINITY) return
    attempt.stop = this.#options.clock.after(pauseMs, () => void this.#run(key, attempt))
  }

  async #run(key: string, attempt: Attempt): Promise<void> {
    const controller = new AbortController()
    attempt.state = { ...attempt.state, pauseMs: undefined }
    attempt.stop = () => controller.abort(new Error('the connection is no longer wanted'))
    const reason = await this.#failureOf(attempt, controller.signal)
    attempt.stop = () => {}
    if (this.#signal.aborted || this.#attempts.get(key) !== attempt) return
    this.#enter(key, attempt, afterFailure(attempt.state, reason))
  }

  async #failureOf({ peerId, state }: Attempt, unwanted: AbortSignal): Promise<PunchFailure> {
    const { punch, log } = this.#options
    const { strategy, failures } = state
    try {
      await punch(strategy, peerId, failures, AbortSignal.any([this.#signal, unwanted]))
      return 'no-connection'
    } catch (error) {
      if (!unwanted.aborted)
        log.debug('hole punching failed', { strategy, member: peerId, cause: String(error) })
      return reasonOf(error)
    }
  }

  #forget(key: string, attempt: Attempt): void {
    this.#attempts.delete(key)
    attempt.stop()
  }

  #forgetAll(): void {
    for (const [key, attempt] of this.#attempts) this.#forget(key, attempt)
  }
}

type Goal = { readonly strategy: PunchStrategy; readonly target: PunchTarget }

function goalsByKey(targets: readonly PunchTarget[]): ReadonlyMap<string, Goal> {
  const goals = new Map<string, Goal>()
  for (const target of targets)
    for (const strategy of target.strategies) goals.set(`${target.peerId} ${strategy}`, { strategy, target })
  return goals
}

function reasonOf(error: unknown): PunchFailure {
  if (!(error instanceof CallRefused)) return 'no-connection'
  if (error.isFinal) return 'unsupported'
  return error.isBusy ? 'busy' : 'no-connection'
}

/** Aborts pending work for a member once the member is connected or has left. */
export function awaitConnections(peers: Pick<Peer, 'peer'>, signal: AbortSignal) {
  const pending = new Map<number, { readonly controller: AbortController; readonly either: AbortSignal }>()

  return {
    /** @returns a signal that aborts then, or with the network; only with the network when the member is connected already */
    signalFor(peerId: number): AbortSignal {
      if (peers.peer(peerId)?.connection) return signal
      const known = pending.get(peerId)
      if (known) return known.either
      const controller = new AbortController()
      const either = AbortSignal.any([signal, controller.signal])
      pending.set(peerId, { controller, either })
      return either
    },
    /** To be called after every change of members and connections. */
    update(): void {
      for (const [peerId, { controller }] of pending) {
        const member = peers.peer(peerId)
        if (member && !member.connection) continue
        pending.delete(peerId)
        controller.abort(new Error(member ? 'the member is connected now' : 'the member has left'))
      }
    },
  }
}
