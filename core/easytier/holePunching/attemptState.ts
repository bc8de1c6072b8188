import type { PunchStrategy } from './strategies/punchPlan'

/**
 * The attempts to reach one member by one strategy: runs, with pauses between them. Success is no state, since a connection makes
 * the attempt unnecessary and it is removed.
 */
export type AttemptState = {
  readonly strategy: PunchStrategy
  /** In a row, at most `MANY_FAILURES`. */
  readonly failures: number
  readonly natTypes: string
  readonly isUpgrade: boolean
  /** Until the next run; undefined during one. Infinite for an upgrade that has ended: anything else is tried as long as it is wanted. */
  readonly pauseMs: number | undefined
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
  return { strategy, natTypes, isUpgrade, failures: 0, pauseMs }
}

/**
 * New NAT types start the attempt over: at once, or after the run in progress.
 * @returns the same object when they are the same
 */
export function afterNews(state: AttemptState, { natTypes, isUpgrade }: AttemptGoal): AttemptState {
  if (natTypes === state.natTypes) return state
  return { ...state, natTypes, isUpgrade, failures: 0, pauseMs: state.pauseMs === undefined ? undefined : 0 }
}

export function afterFailure(state: AttemptState, reason: PunchFailure): AttemptState {
  const { strategy, isUpgrade } = state
  const before = failuresBefore(state.failures, reason)
  const failures = Math.min(MANY_FAILURES, before + 1)
  if (isUpgrade && failures >= UPGRADE_TRIES) return { ...state, failures, pauseMs: Number.POSITIVE_INFINITY }
  const longest = strategy === 'cone' || strategy === 'tcp' ? LONGEST_PAUSE_MS : LONGEST_HEAVY_PAUSE_MS
  return { ...state, failures, pauseMs: Math.min(longest, FIRST_PAUSE_MS * 2 ** before) }
}

function failuresBefore(failures: number, reason: PunchFailure): number {
  if (reason === 'unsupported') return MANY_FAILURES
  return reason === 'busy' ? Math.min(failures, BUSY_FAILURES) : failures
}
