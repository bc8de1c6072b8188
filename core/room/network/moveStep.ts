/** How far a guest is on its way to the network with another secret. Times are milliseconds. */
export type Move =
  /** It is open under the new secret as well, and looks for the host there. */
  | { readonly kind: 'reaching'; readonly since: number }
  /** It reaches the host there; what is under way in the old networks is still taken. */
  | { readonly kind: 'leaving'; readonly since: number }
  /** The old networks can be closed. */
  | { readonly kind: 'moved' }
  /** The host was not found there: the new network can be closed. */
  | { readonly kind: 'given-up' }

/** What a guest sees of the host. */
export type MoveView = {
  readonly now: number
  /** Whether the host has answered in the new network. */
  readonly hasAnswered: boolean
  /** Whether there is a direct connection to it, in the old network and in the new one. */
  readonly wasDirect: boolean
  readonly isDirect: boolean
}

/** A host that was closed in between is searched for no longer. */
export const REACH_MS = 60_000
/** How long a guest that is connected directly waits for a direct connection in the new network, too. */
export const DIRECT_MS = 20_000
/** Longer than packets are in flight. */
export const LEAVE_MS = 5000

export function nextMove(move: Move, view: MoveView): Move {
  const { now } = view
  switch (move.kind) {
    case 'reaching':
      if (isAsGood(view, now - move.since)) return { kind: 'leaving', since: now }
      return now - move.since >= REACH_MS ? { kind: 'given-up' } : move
    case 'leaving':
      return now - move.since >= LEAVE_MS ? { kind: 'moved' } : move
    case 'moved':
    case 'given-up':
      return move
  }
}

function isAsGood({ hasAnswered, wasDirect, isDirect }: MoveView, elapsedMs: number): boolean {
  return hasAnswered && (isDirect || !wasDirect || elapsedMs >= DIRECT_MS)
}
