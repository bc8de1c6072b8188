import { createHmac } from 'node:crypto'
import { toHex } from '#core/bytes'
import type { RoomCode } from '../roomCode'
import type { SharedIds } from './players/sharedIds'
import type { Commands } from './serverCommands'
import { failed, ok, STATUS } from './wire/commands'

/**
 * A command of this program, which `c:protocols` does not list. With the run of its program and a machine id a guest asks, before
 * each `c:player_ping`, whether this id is its own in the room. Status 32: another member that is there uses it, take a fresh
 * one. The data of status 0 is a byte that is 1 when another member came with this id, too, and the run of the host's program.
 * @see docs/decisions.md, D160
 */
export const PLAYER_COMMAND = 'lantern:player'

/** Bytes by which the members of one room tell the runs of programs apart; another program, or another room, has others. */
const RUN_SIZE = 16

/** @param run of the program, 16 random bytes that other members are not told */
export function runIn(room: RoomCode, run: Uint8Array): Uint8Array {
  return new Uint8Array(createHmac('sha256', run).update(`lantern run ${room.text}`).digest()).slice(
    0,
    RUN_SIZE,
  )
}

export type PlayerClaim =
  | { readonly kind: 'taken' | 'unsupported' }
  | { readonly kind: 'own'; readonly isShared: boolean; readonly hostRun: Uint8Array }

/** The host's side of `lantern:player`. */
export function playerCommand(ids: Pick<SharedIds, 'claim' | 'isShared'>, hostRun: Uint8Array): Commands {
  return {
    [PLAYER_COMMAND]: async (body, caller) => {
      const machineId = new TextDecoder().decode(body.subarray(RUN_SIZE))
      if (!MACHINE_ID.test(machineId)) return failed(`The body is ${RUN_SIZE} bytes and a machine_id.`)
      const isOwn = await ids.claim(machineId, toHex(body.subarray(0, RUN_SIZE)), caller)
      if (!isOwn) return { status: STATUS.taken, data: new Uint8Array(0) }
      return ok(Uint8Array.of(ids.isShared(machineId) ? 1 : 0, ...hostRun))
    },
  }
}

export function encodePlayerClaim(run: Uint8Array, machineId: string): Uint8Array {
  return Uint8Array.of(...run, ...new TextEncoder().encode(machineId))
}

export function decodePlayerClaim(status: number, data: Uint8Array): PlayerClaim {
  if (status === STATUS.taken) return { kind: 'taken' }
  if (status !== STATUS.ok || data.length !== 1 + RUN_SIZE) return { kind: 'unsupported' }
  return { kind: 'own', isShared: data[0] === 1, hostRun: data.slice(1) }
}

const MACHINE_ID = /^[\x21-\x7E]{1,128}$/
