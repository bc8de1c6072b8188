import { createHmac } from 'node:crypto'
import type { RoomCode } from './roomCode'

/**
 * The machine id that the players of one room see: another one in each room, so that nobody recognises a player from
 * one room to the next, and always the same in this one.
 * @param lastingId of this player; it never leaves the machine
 * @returns 32 lower-case hexadecimal digits: the first half of HMAC-SHA-256 over the room code
 */
export function playerIdIn(room: RoomCode, lastingId: string): string {
  return createHmac('sha256', lastingId).update(`lantern player ${room.text}`).digest('hex').slice(0, 32)
}
