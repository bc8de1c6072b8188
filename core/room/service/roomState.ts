import type { ExceptionType, FailureCode } from '../failure'
import type { Difficulty, NetworkStatus } from '../ports'
import { type Profile, sameProfiles } from '../profiles'
import type { Feed } from './feed'
import { type LauncherState, type Role, STATE_OF, type Stage } from './stages'

/** Why the last role failed, as clients see it. */
export type ShownFailure = {
  readonly code: FailureCode
  readonly type: ExceptionType
  /** One sentence for players. */
  readonly detail: string
  readonly hint: string
  /** The stage in which it failed. */
  readonly stage: Stage
}

/** A snapshot of the room's state. */
export type RoomView = {
  readonly stage: Stage
  readonly state: LauncherState
  readonly role: Role | null
  /** The room code. */
  readonly room: string | null
  readonly players: readonly Profile[]
  /** TCP port of the world: the host's own, or a guest's local one; 0 while there is none. */
  readonly gamePort: number
  /** Where a guest's game connects. */
  readonly url: string | null
  readonly failure: ShownFailure | null
  /** What the player has to do before the stage can continue; null when no action is needed. */
  readonly notice: string | null
  readonly network: NetworkStatus | null
  /** Feed index of the last message that reported a change. */
  readonly index: number
  /** Feed index of the last change that was not of players or difficulty only. */
  readonly stateIndex: number
  /** Changes of players or difficulty since the last transition. */
  readonly profileIndex: number
  /** Unix time in milliseconds. */
  readonly changedAt: number
}

export type RoomPatch = Partial<
  Pick<RoomView, 'room' | 'players' | 'gamePort' | 'url' | 'notice' | 'network'>
>

/** The state of the room as clients see it. Every change goes through here and is published to the feed. */
export type RoomState = {
  view(): RoomView
  /** Enters another stage, role or failure; resets `profileIndex`. A transition to no role clears all room fields. */
  transition(
    to: { readonly stage: Stage; readonly role: Role | null; readonly failure?: ShownFailure } & RoomPatch,
  ): void
  /** Changes fields within the current stage. */
  update(patch: RoomPatch): void
}

export function createRoomState({ feed, unixTime }: { feed: Feed; unixTime: () => number }): RoomState {
  let view: RoomView = { ...NOTHING, index: 0, stateIndex: 0, profileIndex: 0, changedAt: unixTime() }

  function publishState(): void {
    const { state, role, room } = view
    view = { ...view, index: feed.publish({ type: 'state', state, role, room }) }
  }

  function publishPlayers(): void {
    view = { ...view, index: feed.publish({ type: 'profiles', profiles: view.players }) }
  }

  return {
    view: () => view,

    transition({ stage, role, failure, ...patch }) {
      const before = view
      const changedAt = unixTime()
      const isOver = role === null
      view = {
        ...(isOver ? NOTHING : { ...before, notice: null }),
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
      if (!sameProfiles(before.players, view.players)) publishPlayers()
      view = { ...view, stateIndex: view.index }
    },

    update(patch) {
      const before = view
      view = { ...before, ...patch, changedAt: unixTime() }
      const hasRoomChanged = view.room !== before.room || view.url !== before.url
      const hasDifficultyChanged = difficultyOf(view) !== difficultyOf(before)
      const havePlayersChanged = !sameProfiles(before.players, view.players)
      if (!hasRoomChanged && (hasDifficultyChanged || havePlayersChanged)) {
        view = { ...view, profileIndex: before.profileIndex + 1 }
      }
      if (hasRoomChanged || hasDifficultyChanged) publishState()
      if (havePlayersChanged) publishPlayers()
      if (hasRoomChanged) view = { ...view, stateIndex: view.index }
    },
  }
}

/** Shown only while a guest connects. */
export function difficultyOf({ state, network }: RoomView): Difficulty | null {
  const isConnecting = state === 'guest-connecting' || state === 'guest-starting'
  return isConnecting ? (network?.difficulty ?? 'UNKNOWN') : null
}

const NOTHING = {
  stage: 'Idle',
  state: 'waiting',
  role: null,
  room: null,
  players: [],
  gamePort: 0,
  url: null,
  failure: null,
  notice: null,
  network: null,
} as const satisfies Partial<RoomView>
