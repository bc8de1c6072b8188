import { ServiceError } from '@lantern-room/base'
import type { RoomPatch, RoomState, StagePatch } from './roomState'
import { NO_ROOM } from './roomView'
import type { Role, Stage } from './stages'

export type Attempt = AttemptControl['attempt']

export type AttemptControl = ReturnType<typeof beginAttempt>

/**
 * Begins one run of a role, from start to stop. Everything that it starts ends by its signal. Once it is over it can no longer
 * change the room's state: a late answer to a stopped room must not affect the next one.
 */
export function beginAttempt(roomState: RoomState, role: Role, patch: RoomPatch) {
  const controller = new AbortController()
  const { signal } = controller
  const held = new Set<Promise<unknown>>()
  const farewells: (() => Promise<void>)[] = []
  let isStopping = false
  let stage: Stage = role === 'host' ? 'Host_Prepare' : 'Guest_Prepare'
  roomState.transition({ stage, role, ...NO_ROOM, ...patch })

  const isOver = () => isStopping || signal.aborted
  const attempt = {
    role,
    /** Whether it can change nothing any more, nor what is kept: that may be the next room's already. */
    isOver,
    /** Aborts when the role is stopped or has failed. */
    signal,
    stage: () => stage,
    /** Enters the next stage. @throws the signal's reason when the attempt is over */
    advance(next: Stage, more: RoomPatch = {}): void {
      if (isOver()) throw signal.reason ?? new ServiceError('unavailable', 'The request was cancelled.')
      stage = next
      roomState.transition({ stage, role, ...more })
    },
    /** Changes fields within the stage; has no effect when the attempt is over. */
    update(more: StagePatch): void {
      if (!isOver()) roomState.update(more)
    },
    /** Registers something that ends by the signal; `settled` waits for it. */
    hold(closing: Promise<unknown>): void {
      const quiet: Promise<unknown> = closing.catch(() => undefined).finally(() => held.delete(quiet))
      held.add(quiet)
    },
    /** Registers what is done before an orderly stop; it has to be short, and must not reject. */
    beforeStop: (farewell: () => Promise<void>): void => void farewells.push(farewell),
  }
  return {
    attempt,
    abort: (reason: unknown): void => controller.abort(reason),
    /** Ends the attempt in order: it can change nothing any more, says its farewells, and aborts. Never rejects. */
    async stop(reason: unknown): Promise<void> {
      isStopping = true
      await Promise.all(farewells.map((farewell) => farewell()))
      controller.abort(reason)
    },
    /** Resolves when everything registered with `hold` has ended. */
    async settled(): Promise<void> {
      // Something that ends may still register something else.
      while (held.size > 0) await Promise.all(held)
    },
  }
}
