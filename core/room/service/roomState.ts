import type { ExceptionType, FailureCode } from '../failure'
import type { Difficulty, NetworkStatus } from '../ports'
import type { Profile } from '../profiles'
import type { Feed } from './feed'
import { type Role, type RoomState, STATE_OF, type Stage } from './stages'

/** Why the last role ended, as it is shown. */
export type ShownFailure = {
  readonly code: FailureCode
  readonly type: ExceptionType
  /** One sentence for players. */
  readonly detail: string
  readonly hint: string
  /** Where it happened. */
  readonly stage: Stage
}

/** All that can be seen of the room, at one moment. */
export type RoomView = {
  readonly stage: Stage
  readonly state: RoomState
  readonly role: Role | null
  /** The room code. */
  readonly room: string | null
  readonly players: readonly Profile[]
  /** TCP port of the world: the host's own, or a guest's local one; 0 while there is none. */
  readonly gamePort: number
  /** Where a guest's game connects. */
  readonly url: string | null
  readonly failure: ShownFailure | null
  /** What the stage waits for, when it waits for a person: that is no hang. */
  readonly notice: string | null
  readonly network: NetworkStatus | null
  /** Index of the last message of the feed that told a change. */
  readonly index: number
  /** How many changes since the last real change of state touched only players or difficulty. */
  readonly profileIndex: number
  /** Unix time in milliseconds. */
  readonly changedAt: number
}

export type RoomPatch = Partial<
  Pick<RoomView, 'room' | 'players' | 'gamePort' | 'url' | 'notice' | 'network'>
>

/** What is shown, and the one place where it changes: whoever watches the feed misses nothing. */
export type Board = {
  view(): RoomView
  /** A real change: another stage, another role, or another failure. */
  move(
    to: { readonly stage: Stage; readonly role: Role | null; readonly failure?: ShownFailure } & RoomPatch,
  ): void
  /** A change within the stage. */
  update(patch: RoomPatch): void
}

export function createBoard({ feed, unixTime }: { feed: Feed; unixTime: () => number }): Board {
  let view: RoomView = { ...NOTHING, index: 0, profileIndex: 0, changedAt: unixTime() }

  function tellState(): void {
    const { state, role, room } = view
    view = { ...view, index: feed.publish({ type: 'state', state, role, room }) }
  }

  function tellPlayers(): void {
    view = { ...view, index: feed.publish({ type: 'profiles', profiles: view.players }) }
  }

  return {
    view: () => view,

    move({ stage, role, failure, ...patch }) {
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
        profileIndex: 0,
        changedAt,
      }
      tellState()
      if (!samePlayers(before.players, view.players)) tellPlayers()
    },

    update(patch) {
      const before = view
      view = { ...before, ...patch, changedAt: unixTime() }
      const isRoomOther = view.room !== before.room || view.url !== before.url
      const isDifficultyOther = difficultyOf(view) !== difficultyOf(before)
      const arePlayersOther = !samePlayers(before.players, view.players)
      if (!isRoomOther && (isDifficultyOther || arePlayersOther)) {
        view = { ...view, profileIndex: before.profileIndex + 1 }
      }
      if (isRoomOther || isDifficultyOther) tellState()
      if (arePlayersOther) tellPlayers()
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

function samePlayers(before: readonly Profile[], after: readonly Profile[]): boolean {
  return before === after || JSON.stringify(before) === JSON.stringify(after)
}
