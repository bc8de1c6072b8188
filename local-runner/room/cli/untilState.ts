import { RoomFailure } from '#core/room/failure'
import type { Stage } from '#core/room/service/state/stages'
import type { LocalRoom } from '../compose'

/** Never resolves when the stage is not reached. */
export function untilState({ feed, roomState }: LocalRoom['api'], stage: Stage): Promise<void> {
  if (roomState.view().stage === stage) return Promise.resolve()
  return new Promise((resolve) => {
    const unsubscribe = feed.subscribe(() => {
      if (roomState.view().stage !== stage) return
      unsubscribe()
      // Behind what is reported of the stage itself.
      setImmediate(resolve)
    })
  })
}

/** Resolves when the room fails; never rejects. */
export function firstFailure({ api: { feed, roomState } }: LocalRoom): Promise<RoomFailure> {
  return new Promise((resolve) => {
    feed.subscribe(() => {
      const { failure } = roomState.view()
      if (failure) resolve(new RoomFailure(failure.code, failure.detail, { hint: failure.hint }))
    })
  })
}
