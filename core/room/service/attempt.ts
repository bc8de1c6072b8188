import { abortReason } from '#core/errors'
import type { RoomPatch, RoomState } from './roomState'
import { firstStage, mayFollow, type Role, type Stage } from './stages'

/**
 * One run of a role, from start to stop. What it has begun ends by its signal; what comes too late changes nothing:
 * an answer to a room that was stopped must not move the next one.
 */
export type Attempt = {
  readonly role: Role
  /** Aborts when the role is stopped or has failed. */
  readonly signal: AbortSignal
  /** Goes on to a stage. @throws the signal's reason when the attempt is over */
  advance(stage: Stage, patch?: RoomPatch): void
  /** Shows something new within the stage; nothing happens when the attempt is over. */
  update(patch: RoomPatch): void
  stage(): Stage
  /** Something that ends by the signal: the attempt is over only when it has. */
  hold(closing: Promise<unknown>): void
}

export type AttemptControl = {
  readonly attempt: Attempt
  readonly abort: (reason: unknown) => void
  /** Resolves when everything held has ended. */
  readonly settled: () => Promise<void>
}

export function beginAttempt(roomState: RoomState, role: Role, patch: RoomPatch): AttemptControl {
  const controller = new AbortController()
  const { signal } = controller
  const held = new Set<Promise<unknown>>()
  let stage = firstStage(role)
  roomState.transition({ stage, role, ...FRESH, ...patch })

  const attempt: Attempt = {
    role,
    signal,
    stage: () => stage,
    advance(next, more = {}) {
      if (signal.aborted) throw abortReason(signal)
      if (!mayFollow(stage, next)) throw new Error(`A ${role} cannot go from ${stage} to ${next}.`)
      stage = next
      roomState.transition({ stage, role, ...more })
    },
    update(more) {
      if (!signal.aborted) roomState.update(more)
    },
    hold(closing) {
      const quiet: Promise<unknown> = closing.catch(() => undefined).finally(() => held.delete(quiet))
      held.add(quiet)
    },
  }
  return {
    attempt,
    abort: (reason) => controller.abort(reason),
    async settled() {
      // What ends may still begin to hold something.
      while (held.size > 0) await Promise.all(held)
    },
  }
}

const FRESH: RoomPatch = { room: null, players: [], gamePort: 0, url: null, notice: null, network: null }
