import type { Clock } from '#core/async/clock'
import { createThrottle } from '#core/async/throttle'
import { sameProfiles } from '../../profiles'
import type { Feed } from './feed'
import { createFeedPace } from './feedPace'
import { difficultyOf, IDLE_VIEW, type RoomView, type ShownFailure } from './roomView'
import { type Role, STATE_OF, type Stage } from './stages'
import { toStatusReport } from './statusReport'

export type RoomPatch = Partial<
  Pick<
    RoomView,
    | 'room'
    | 'players'
    | 'guests'
    | 'connections'
    | 'gamePort'
    | 'worldName'
    | 'url'
    | 'notice'
    | 'warning'
    | 'network'
    | 'ports'
  >
>

/** Players, guests or status; changed if it differs from what was told last. */
type Detail = { readonly isChanged: () => boolean; readonly publish: () => void }

/** Another stage, role or failure. */
type Transition = {
  readonly stage: Stage
  readonly role: Role | null
  readonly failure?: ShownFailure
} & RoomPatch

export type RoomState = ReturnType<typeof createRoomState>

/**
 * Shortest time between two lists of players, and two statuses, in the feed: four a second of each, and of all together as
 * many as `createFeedPace` lets pass. Transitions are told at once, with all of them.
 */
const COALESCE_MS = 250

/** The state of the room as clients see it. Every change goes through here and is published to the feed. */
export function createRoomState({ feed, clock }: { feed: Feed; clock: Clock }) {
  const { unixTime } = clock
  let view: RoomView = { ...IDLE_VIEW, changedAt: unixTime() }
  /** The state that the feed sent last. */
  let toldPlayers = view.players
  let toldGuests = guestsText(view)
  let toldStatus = statusText(view)
  const kinds: readonly Detail[] = [
    {
      isChanged: () => !sameProfiles(toldPlayers, view.players),
      publish() {
        toldPlayers = view.players
        view = { ...view, index: feed.publish({ type: 'profiles', profiles: view.players }) }
      },
    },
    {
      isChanged: () => guestsText(view) !== toldGuests,
      publish() {
        toldGuests = guestsText(view)
        feed.publish({ type: 'guests', guests: view.guests, connections: view.connections })
      },
    },
    {
      isChanged: () => statusText(view) !== toldStatus,
      publish() {
        toldStatus = statusText(view)
        feed.publish({ type: 'status', ...toStatusReport(view) })
      },
    },
  ]
  const pace = createFeedPace(feed, clock)
  const details = createThrottle(clock, COALESCE_MS, publishSome, () => pace.wait(1))
  /** The one that was sent longest ago first. */
  let order = kinds

  function publishState(): void {
    const { state, role, room } = view
    view = { ...view, index: feed.publish({ type: 'state', state, role, room }) }
  }

  /** As many of those that have changed as the feed has room for, which is all after a change of the state; the others later. */
  function publishSome(): void {
    for (const kind of order.filter(({ isChanged }) => isChanged())) {
      if (pace.wait(1) > 0) {
        details.request()
        return
      }
      kind.publish()
      order = [...order.filter((other) => other !== kind), kind]
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
    update(patch: RoomPatch): void {
      const before = view
      view = { ...before, ...patch, changedAt: unixTime() }
      const hasRoomChanged = view.room !== before.room || view.url !== before.url
      const hasDifficultyChanged = difficultyOf(view) !== difficultyOf(before)
      const havePlayersChanged = !sameProfiles(before.players, view.players)
      if (!hasRoomChanged && (hasDifficultyChanged || havePlayersChanged)) {
        view = { ...view, profileIndex: before.profileIndex + 1 }
      }
      if (hasRoomChanged || hasDifficultyChanged) publishState()
      if (hasRoomChanged) {
        details.act()
        view = { ...view, stateIndex: view.index }
      } else details.request()
    },
  }
}

function guestsText({ guests, connections }: RoomView): string {
  return JSON.stringify([guests, connections])
}

function statusText(view: RoomView): string {
  return JSON.stringify(toStatusReport(view))
}
