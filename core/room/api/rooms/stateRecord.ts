import { z } from '@hono/zod-openapi'
import { difficultyOf, profile, type RoomView, role } from '../../service/state/roomView'
import { LAUNCHER_STATES } from '../../service/state/stages'
import { CODE_EXAMPLE } from '../http/fields'

/**
 * The State record: the response of GET /state and of the GETs that start or stop a role. It is documented without the spellings
 * that Terracotta's clients read beside ours: in most languages, generators give `profileIndex` and `profile_index` one name.
 */
export const stateRecord = z
  .object({
    state: z.enum(LAUNCHER_STATES),
    role,
    room: z.string().nullable().openapi({ example: CODE_EXAMPLE }),
    profileIndex: z
      .int()
      .openapi({ description: 'Changes of players or difficulty since the last change of state.' }),
    profiles: z.array(profile),
    url: z
      .string()
      .nullable()
      .openapi({ description: 'Where the game connects; only in guest-ok.', example: '127.0.0.1' }),
    difficulty: z.enum(['UNKNOWN', 'EASIEST', 'SIMPLE', 'MEDIUM', 'TOUGH']).nullable(),
    index: z.int().openapi({ description: 'Additive: rises at every change.' }),
    exceptionType: z.int().min(0).max(5).nullable().openapi({ description: 'Additive: 0–5 in exception.' }),
    type: z.int().min(0).max(5).nullable().openapi({ description: 'Additive: the same as exceptionType.' }),
    error: z.string().nullable(),
  })
  // Clients in Java refuse fields that the document neither names nor allows.
  .openapi('State', { additionalProperties: true })

/** What clients of Terracotta read, which know a player by `machine_id`. */
type TerracottaFields = {
  /**
   * `index` minus `index` at the last change that was not of players or difficulty only. A client whose last `index` is at most so
   * far behind need not draw everything anew.
   */
  readonly profile_index: number
  readonly profiles: readonly { readonly machine_id: string }[]
}

/** The answer of `GET /state`: what launchers poll. `url` is where the game connects, once it can. */
export type StateRecord = z.infer<typeof stateRecord> & TerracottaFields

export function toStateRecord(view: RoomView): StateRecord {
  return {
    state: view.state,
    role: view.role,
    room: view.room,
    profileIndex: view.profileIndex,
    profiles: view.players.map((player) => ({ ...player, machine_id: player.machineId })),
    url: view.url,
    difficulty: difficultyOf(view),
    index: view.index,
    profile_index: view.index - view.stateIndex,
    exceptionType: view.failure?.type ?? null,
    type: view.failure?.type ?? null,
    error: view.failure?.detail ?? null,
  }
}
