import type { Clock } from '#core/async/clock'
import { onAbort } from '#core/async/onAbort'
import type { Log } from '#core/log'
import type { Peer } from '../peer/peer'
import type { RemotePeer } from '../peer/peerOptions'
import {
  type AttemptGoal,
  type AttemptState,
  initialState,
  nextState,
  type PunchFailure,
} from './attemptState'
import type { PunchStrategy } from './strategies/punchPlan'
import { CallRefused } from './strategies/rpcClient'

/** Runs the attempts to reach members: one at a time for each member and strategy. */
export type PunchAttempts = {
  /** Starts attempts for new targets, ends those that are no longer wanted, and starts over where NAT types have changed. */
  update(): void
  /** Ends and forgets all attempts, and starts anew: for use after a change of network. */
  restart(): void
}

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
  /** Aborts when a connection to the member makes this strategy unnecessary. */
  readonly signalFor: (peerId: number, strategy: PunchStrategy) => AbortSignal
  readonly signal: AbortSignal
}

type Attempt = {
  readonly peerId: number
  state: AttemptState
  /** Ends the pause or the run. */
  stop: () => void
}

export function createPunchAttempts(options: PunchAttemptsOptions): PunchAttempts {
  const { clock, log, signal } = options
  const attempts = new Map<string, Attempt>()
  onAbort(signal, forgetAll)

  return {
    update,
    restart() {
      forgetAll()
      update()
    },
  }

  function update(): void {
    if (signal.aborted) return
    const goals = goalsByKey(options.targets())
    for (const [key, attempt] of attempts) if (!goals.has(key)) forget(key, attempt)
    for (const [key, goal] of goals) setGoal(key, goal)
  }

  function setGoal(key: string, { strategy, target }: Goal): void {
    const known = attempts.get(key)
    if (known) {
      enter(key, known, nextState(known.state, { kind: 'wanted', goal: target }))
      return
    }
    const attempt = { peerId: target.peerId, state: initialState(strategy, target), stop: () => {} }
    attempts.set(key, attempt)
    startPause(key, attempt)
  }

  function enter(key: string, attempt: Attempt, state: AttemptState): void {
    if (state === attempt.state) return
    attempt.state = state
    startPause(key, attempt)
  }

  function startPause(key: string, attempt: Attempt): void {
    if (attempt.state.phase !== 'paused') return
    attempt.stop()
    attempt.stop = clock.after(attempt.state.pauseMs, () => void run(key, attempt))
  }

  async function run(key: string, attempt: Attempt): Promise<void> {
    const controller = new AbortController()
    attempt.state = nextState(attempt.state, { kind: 'due' })
    attempt.stop = () => controller.abort(new Error('the connection is no longer wanted'))
    const reason = await failureOf(attempt, controller.signal)
    attempt.stop = () => {}
    if (signal.aborted || attempts.get(key) !== attempt) return
    enter(key, attempt, nextState(attempt.state, { kind: 'failed', reason }))
  }

  async function failureOf({ peerId, state }: Attempt, unwanted: AbortSignal): Promise<PunchFailure> {
    const { strategy, failures } = state
    const connected = options.signalFor(peerId, strategy)
    try {
      await options.punch(strategy, peerId, failures, AbortSignal.any([signal, connected, unwanted]))
      return 'no-connection'
    } catch (error) {
      if (!connected.aborted && !unwanted.aborted)
        log.debug('hole punching failed', { strategy, member: peerId, cause: String(error) })
      return reasonOf(error)
    }
  }

  function forget(key: string, attempt: Attempt): void {
    attempts.delete(key)
    attempt.stop()
  }

  function forgetAll(): void {
    for (const [key, attempt] of attempts) forget(key, attempt)
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
export type AwaitingConnection = {
  /** @returns a signal that aborts then, or with the network; only with the network when the member is connected already */
  signalFor(peerId: number): AbortSignal
  /** To be called after every change of members and connections. */
  update(): void
}

/** @param isConnected whether the member has a connection of the awaited quality */
export function createAwaitingConnection(
  peers: Pick<Peer, 'peer'>,
  isConnected: (peer: RemotePeer) => boolean,
  signal: AbortSignal,
): AwaitingConnection {
  const pending = new Map<number, { readonly controller: AbortController; readonly signal: AbortSignal }>()

  return {
    signalFor(peerId) {
      const member = peers.peer(peerId)
      if (member && isConnected(member)) return signal
      const known = pending.get(peerId)
      if (known) return known.signal
      const controller = new AbortController()
      const either = AbortSignal.any([signal, controller.signal])
      pending.set(peerId, { controller, signal: either })
      return either
    },
    update() {
      for (const [peerId, { controller }] of pending) {
        const member = peers.peer(peerId)
        if (member && !isConnected(member)) continue
        pending.delete(peerId)
        controller.abort(new Error(member ? 'the member is connected now' : 'the member has left'))
      }
    },
  }
}
