import { createHmac } from 'node:crypto'

/** The machine id that the players of one room see. @param lastingId of this player, which they do not see */
export function playerIdIn(code: string, lastingId: string): string {
  return createHmac('sha256', lastingId).update(`lantern player ${code}`).digest('hex').slice(0, 32)
}
