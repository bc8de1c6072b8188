import { z } from '@hono/zod-openapi'
import type { RoomPrivacy } from '@lantern-room/protocol'
import { GUEST_STATES, type KnownGuest, type Profile } from '@lantern-room/protocol'
import type { AdmissionPolicy } from '@lantern-room/protocol/server'
import type { ExceptionType, FailureCode, HintCode } from '../../failure'
import type { Difficulty, NetworkStatus } from '../../networkStatus'
import type { ShownPort } from '../../shownPort'
import type { Notice } from './notices'
import type { PlayerConnection } from './playerConnections'
import type { LauncherState, Role, Stage } from './stages'

export const profile = z
  .object({
    name: z.string(),
    machineId: z.string().openapi({ description: '32 hexadecimal characters.' }),
    vendor: z.string(),
    kind: z
      .enum(['HOST', 'GUEST', 'LOCAL'])
      .openapi({ description: 'LOCAL is the guest whose service this is.' }),
  })
  .openapi('Profile', { additionalProperties: true })

/** A player who is not in the room, or a member without a player. */
export const guest = z
  .object({
    id: z.string().openapi({
      description:
        'The id for approve, refuse and kick: the machine id, or `member:` and a number where `state` is `unregistered` or `second-host`.',
    }),
    name: z.string(),
    vendor: z.string(),
    state: z.enum(GUEST_STATES).openapi({
      description:
        '`waiting` wants to join: approve or refuse it. `unregistered` is in the network without a player: remove it, or let it in as it is. `second-host` hosts with the same code: remove it.',
    }),
  })
  .openapi('Guest')

export const role = z.enum(['host', 'guest']).nullable()

/** Why the last role failed, as clients see it. */
export type ShownFailure = {
  readonly code: FailureCode
  readonly type: ExceptionType
  /** One sentence for players. */
  readonly detail: string
  readonly hint: string
  /** Set where more is known than the code says: which advice it is. */
  readonly hintCode?: HintCode | undefined
  /** The stage in which it failed. */
  readonly stage: Stage
}

/** A snapshot of the room's state. */
export type RoomView = {
  readonly stage: Stage
  readonly state: LauncherState
  readonly role: Role | null
  readonly room: string | null
  readonly privacy: RoomPrivacy | null
  /** At a host: whom the room lets in. */
  readonly admission: AdmissionPolicy | null
  readonly players: readonly Profile[]
  /** At a host: who waits to be let in, was refused or removed. */
  readonly guests: readonly KnownGuest[]
  /** At a host: one for each guest, in the room or waiting. At a guest: the one to the host. */
  readonly connections: readonly PlayerConnection[]
  /** TCP port of the world: the host's own, or a guest's local one; 0 while there is none. */
  readonly gamePort: number
  /** The name of the world at `gamePort`, where one is known. */
  readonly worldName: string | null
  /** Where a guest's game connects. */
  readonly url: string | null
  readonly failure: ShownFailure | null
  /** An action that the player must take before the stage can continue; null when none is needed. */
  readonly notice: Notice | null
  /** Information for the player meanwhile; shown where there is no notice. */
  readonly warning: Notice | null
  readonly network: NetworkStatus | null
  /** The host's ports beside the world's. */
  readonly ports: readonly ShownPort[]
  /** At a guest: the numbers that its player has allowed the host. */
  readonly keepPorts: readonly number[]
  /** Feed index of the last `state` or `profiles` message. */
  readonly index: number
  /** Feed index of the last change that was not of players or difficulty only. */
  readonly stateIndex: number
  /** Changes of players or difficulty since the last transition. */
  readonly profileIndex: number
  /** Unix time in milliseconds. */
  readonly changedAt: number
}

/** The initial view of a role: it keeps nothing of the previous one. */
export const NO_ROOM = {
  room: null,
  privacy: null,
  admission: null,
  players: [],
  guests: [],
  connections: [],
  gamePort: 0,
  worldName: null,
  url: null,
  notice: null,
  warning: null,
  network: null,
  ports: [],
  keepPorts: [],
} as const satisfies Partial<RoomView>

/** The view of a service that has no room. */
export const IDLE_VIEW: RoomView = {
  ...NO_ROOM,
  stage: 'Idle',
  state: 'waiting',
  role: null,
  failure: null,
  index: 0,
  stateIndex: 0,
  profileIndex: 0,
  changedAt: 0,
}

/** Shown only while a guest connects. */
export function difficultyOf({ state, network }: RoomView): Difficulty | null {
  const isConnecting = state === 'guest-connecting' || state === 'guest-starting'
  return isConnecting ? (network?.difficulty ?? 'UNKNOWN') : null
}
