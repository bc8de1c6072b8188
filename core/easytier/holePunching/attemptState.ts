import type { PunchStrategy } from './strategies/punchPlan'

/**
 * The attempts to reach one member by one strategy: runs, with pauses between them. Success is no state, since a connection makes
 * the attempt unnecessary and it is removed.
 */
export type AttemptState = AttemptFacts &
  (
    | { readonly phase: 'paused'; readonly pauseMs: number }
    | { readonly phase: 'running' }
    /** Only an upgrade ends: anything else is tried as long as it is wanted. */
    | { readonly phase: 'ended' }
  )

type AttemptFacts = {
  readonly strategy: PunchStrategy
  /** In a row, at most `MANY_FAILURES`. */
  readonly failures: number
  readonly natTypes: string
  readonly isUpgrade: boolean
}

export type AttemptGoal = {
  /** The NAT types of both sides, as a text to compare: a change means that new facts are known. */
  readonly natTypes: string
  /** A UDP strategy will most likely succeed at once. */
  readonly isUdpLikely: boolean
  /** There is a connection already, and only a better one is attempted. */
  readonly isUpgrade: boolean
}

/** `busy`: the member serves another one now. `unsupported`: it does not know the call, and will not the next time. */
export type PunchFailure = 'no-connection' | 'busy' | 'unsupported'

const FIRST_PAUSE_MS = 300
const LONGEST_PAUSE_MS = 30_000
/** With many sockets and thousands of datagrams: after six failures the router is spared. */
const LONGEST_HEAVY_PAUSE_MS = 120_000
/** The longest pause is reached after so many. */
const MANY_FAILURES = 10
/** A busy member is asked again within 1.2 s. */
const BUSY_FAILURES = 2
const UPGRADE_TRIES = 3
/** TCP waits where UDP is likely to succeed, which is better and spares two STUN servers. */
const TCP_DELAY_MS = 1000

export function initialState(strategy: PunchStrategy, goal: AttemptGoal): AttemptState {
  const { natTypes, isUpgrade, isUdpLikely } = goal
  const pauseMs = strategy === 'tcp' && isUdpLikely ? TCP_DELAY_MS : 0
  return { strategy, natTypes, isUpgrade, failures: 0, phase: 'paused', pauseMs }
}

export function afterPause(state: AttemptState): AttemptState {
  return { ...factsOf(state), phase: 'running' }
}

/**
 * New NAT types start the attempt over: at once, or after the run in progress.
 * @returns the same object when they are the same
 */
export function afterNews(state: AttemptState, { natTypes, isUpgrade }: AttemptGoal): AttemptState {
  if (natTypes === state.natTypes) return state
  const facts = { strategy: state.strategy, natTypes, isUpgrade, failures: 0 }
  return state.phase === 'running'
    ? { ...facts, phase: 'running' }
    : { ...facts, phase: 'paused', pauseMs: 0 }
}

export function afterFailure(state: AttemptState, reason: PunchFailure): AttemptState {
  const { strategy, isUpgrade } = state
  const before = failuresBefore(state.failures, reason)
  const facts = { ...factsOf(state), failures: Math.min(MANY_FAILURES, before + 1) }
  if (isUpgrade && facts.failures >= UPGRADE_TRIES) return { ...facts, phase: 'ended' }
  const longest = strategy === 'cone' || strategy === 'tcp' ? LONGEST_PAUSE_MS : LONGEST_HEAVY_PAUSE_MS
  return { ...facts, phase: 'paused', pauseMs: Math.min(longest, FIRST_PAUSE_MS * 2 ** before) }
}

function failuresBefore(failures: number, reason: PunchFailure): number {
  if (reason === 'unsupported') return MANY_FAILURES
  return reason === 'busy' ? Math.min(failures, BUSY_FAILURES) : failures
}

function factsOf({ strategy, failures, natTypes, isUpgrade }: AttemptState): AttemptFacts {
  return { strategy, failures, natTypes, isUpgrade }
}
