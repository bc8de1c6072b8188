import type { Clock } from '@lantern-room/base/async'
import { createThrottle } from '@lantern-room/base/async'
import type { Feed } from './feed'
import { difficultyOf, IDLE_VIEW, type NO_ROOM, type RoomView, type ShownFailure } from './roomView'
import { type Role, STATE_OF, type Stage } from './stages'
import { toStatusReport } from './statusReport'

/** What a transition may change of the view. */
export type RoomPatch = Partial<Pick<RoomView, keyof typeof NO_ROOM>>

/** What may change within a stage: a room's code and the guest's address come and go with transitions. */
export type StagePatch = Omit<RoomPatch, 'room' | 'privacy' | 'url'>

/** What the feed tells beside the state, each whenever it differs from what it told last. */
const DETAILS: readonly ((view: RoomView) => Parameters<Feed['publish']>[0])[] = [
  ({ players }) => ({ type: 'profiles', profiles: players }),
  ({ guests, connections }) => ({ type: 'guests', guests, connections }),
  (view) => ({ type: 'status', ...toStatusReport(view) }),
]

/** Another stage, role or failure. */
type Transition = {
  readonly stage: Stage
  readonly role: Role | null
  readonly failure?: ShownFailure
} & RoomPatch

export type RoomState = ReturnType<typeof createRoomState>

/**
 * Shortest time between two lists of players, and two statuses, in the feed: four a second of each, and of all together as
 * many as the feed lets pass. Transitions are told at once, with all of them.
 */
const COALESCE_MS = 250

/** The state of the room as clients see it. Every change goes through here and is published to the feed. */
export function createRoomState({ feed, clock }: { feed: Feed; clock: Clock }) {
  const { unixTime } = clock
  let view: RoomView = { ...IDLE_VIEW, changedAt: unixTime() }
  const details = createThrottle(clock, COALESCE_MS, publishSome, () => feed.wait(1))
  /** The one that was sent longest ago first. */
  let order = DETAILS.map((messageOf) => ({ messageOf, told: JSON.stringify(messageOf(view)) }))

  function publishState(): void {
    const { state, role, room } = view
    view = { ...view, index: feed.publish({ type: 'state', state, role, room }) }
  }

  /** As many of those that have changed as the feed has room for, which is all after a change of the state; the others later. */
  function publishSome(): void {
    for (const detail of order) {
      const message = detail.messageOf(view)
      const text = JSON.stringify(message)
      if (text === detail.told) continue
      if (feed.wait(1) > 0) {
        details.request()
        return
      }
      detail.told = text
      const index = feed.publish(message)
      if (message.type === 'profiles') view = { ...view, index }
      order = [...order.filter((other) => other !== detail), detail]
    }
  }

  return {
    view: (): RoomView => view,

    /** Resets `profileIndex`. A transition to no role clears all room fields. */
    transition({ stage, role, failure, ...patch }: Transition): void {
      const before = view
      const changedAt = unixTime()
      const isOver = role === null
      view = {
        ...(isOver ? IDLE_VIEW : { ...before, notice: null }),
        ...patch,
        stage,
        state: STATE_OF[stage],
        role,
        failure: failure ?? null,
        index: before.index,
        stateIndex: before.stateIndex,
        profileIndex: 0,
        changedAt,
      }
      publishState()
      details.act()
      view = { ...view, stateIndex: view.index }
    },

    /** Changes fields within the current stage. */
    update(patch: StagePatch): void {
      const before = view
      view = { ...before, ...patch, changedAt: unixTime() }
      const hasDifficultyChanged = difficultyOf(view) !== difficultyOf(before)
      const havePlayersChanged = JSON.stringify(before.players) !== JSON.stringify(view.players)
      if (hasDifficultyChanged || havePlayersChanged)
        view = { ...view, profileIndex: before.profileIndex + 1 }
      if (hasDifficultyChanged) publishState()
      details.request()
    },
  }
}
