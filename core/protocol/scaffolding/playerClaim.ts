import { createHmac } from 'node:crypto'
import { toHex } from '@lantern-room/base/bytes'
import type { Player } from '../profiles'
import type { RoomCode } from '../roomCode'
import type { SharedIds } from './players/sharedIds'
import type { Commands } from './serverCommands'
import { decodePlayer, encodePlayer, failed, ok, STATUS } from './wire/commands'

/**
 * A command of this program, which `c:protocols` does not list. With the run of its program and what it will send as `c:player_ping`
 * a guest asks, before that, whether the machine id is its own in the room. Status 32: another member that is there uses it, take a fresh
 * one. The data of status 0 is a byte that is 1 when another member came with this id, too, and the run of the host's program.
 * @see docs/decisions.md, D160
 */
export const PLAYER_COMMAND = 'lantern:player'

/** Bytes by which the members of one room tell the runs of programs apart; another program, or another room, has others. */
const RUN_SIZE = 16

/**
 * What the members of one room are told of a run of this program: 16 bytes.
 * @param run of the program, 16 random bytes that other members are not told
 * @example await client.claim(runIn(room, run), player)
 */
export function runIn(room: RoomCode, run: Uint8Array): Uint8Array {
  return new Uint8Array(createHmac('sha256', run).update(`lantern run ${room.text}`).digest()).slice(
    0,
    RUN_SIZE,
  )
}

export type PlayerClaim =
  | { readonly kind: 'taken' | 'unsupported' }
  | { readonly kind: 'own'; readonly isShared: boolean; readonly hostRun: Uint8Array }

/**
 * The host's side of `lantern:player`.
 * @param hostRun as `runIn` makes it
 * @example const extraCommands = playerCommand(ids, runIn(room, run))
 */
export function playerCommand(ids: Pick<SharedIds, 'claim' | 'isShared'>, hostRun: Uint8Array): Commands {
  return {
    [PLAYER_COMMAND]: async (body, caller) => {
      if (body.length < RUN_SIZE) return failed(`The body begins with ${RUN_SIZE} bytes.`)
      const player = decodePlayer(body.subarray(RUN_SIZE))
      const isOwn = await ids.claim(player, toHex(body.subarray(0, RUN_SIZE)), caller)
      if (!isOwn) return { status: STATUS.taken, data: new Uint8Array(0) }
      return ok(Uint8Array.of(ids.isShared(player.machineId) ? 1 : 0, ...hostRun))
    },
  }
}

export function encodePlayerClaim(run: Uint8Array, player: Player): Uint8Array {
  return Uint8Array.of(...run, ...encodePlayer(player))
}

export function decodePlayerClaim(status: number, data: Uint8Array): PlayerClaim {
  if (status === STATUS.taken) return { kind: 'taken' }
  if (status !== STATUS.ok || data.length !== 1 + RUN_SIZE) return { kind: 'unsupported' }
  return { kind: 'own', isShared: data[0] === 1, hostRun: data.slice(1) }
}
