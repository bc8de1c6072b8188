import type { Clock } from '#core/async/clock'
import { onAbort } from '#core/async/onAbort'
import type { Log } from '#core/log'
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
  readonly targets: () => readonly PunchTarget[]
  /** One run. It may also end without an error when it has failed: success is a connection, which aborts the signal. */
  readonly punch: (
    strategy: PunchStrategy,
    peerId: number,
    failures: number,
    signal: AbortSignal,
  ) => Promise<void>
  readonly signal: AbortSignal
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
  readonly #attempts = new Map<string, Attempt>()

  constructor(options: PunchAttemptsOptions) {
    this.#options = options
    onAbort(options.signal, () => this.#forgetAll())
  }

  /** Starts attempts for new targets, ends those that are no longer wanted, and starts over where NAT types have changed. */
  update(): void {
    if (this.#options.signal.aborted) return
    const goals = goalsByKey(this.#options.targets())
    for (const [key, attempt] of this.#attempts) if (!goals.has(key)) this.#forget(key, attempt)
    for (const [key, goal] of goals) this.#setGoal(key, goal)
  }

  restart(): void {
    this.#forgetAll()
    this.update()
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
    if (this.#options.signal.aborted || this.#attempts.get(key) !== attempt) return
    this.#enter(key, attempt, afterFailure(attempt.state, reason))
  }

  async #failureOf({ peerId, state }: Attempt, unwanted: AbortSignal): Promise<PunchFailure> {
    const { punch, signal, log } = this.#options
    const { strategy, failures } = state
    try {
      await punch(strategy, peerId, failures, AbortSignal.any([signal, unwanted]))
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
export class AwaitingConnection {
  readonly #peers: Pick<Peer, 'peer'>
  readonly #signal: AbortSignal
  readonly #pending = new Map<
    number,
    { readonly controller: AbortController; readonly signal: AbortSignal }
  >()

  constructor(peers: Pick<Peer, 'peer'>, signal: AbortSignal) {
    this.#peers = peers
    this.#signal = signal
  }

  /** @returns a signal that aborts then, or with the network; only with the network when the member is connected already */
  signalFor(peerId: number): AbortSignal {
    if (this.#peers.peer(peerId)?.connection) return this.#signal
    const known = this.#pending.get(peerId)
    if (known) return known.signal
    const controller = new AbortController()
    const either = AbortSignal.any([this.#signal, controller.signal])
    this.#pending.set(peerId, { controller, signal: either })
    return either
  }

  /** To be called after every change of members and connections. */
  update(): void {
    for (const [peerId, { controller }] of this.#pending) {
      const member = this.#peers.peer(peerId)
      if (member && !member.connection) continue
      this.#pending.delete(peerId)
      controller.abort(new Error(member ? 'the member is connected now' : 'the member has left'))
    }
  }
}
