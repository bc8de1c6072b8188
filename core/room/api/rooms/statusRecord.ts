import { z } from '@hono/zod-openapi'
import { connections } from '../../service/state/playerConnections'
import { guest, profile } from '../../service/state/roomView'
import { statusFields } from '../../service/state/statusReport'

/** The response of GET /room/status. */
export const statusRecord = z
  .object({
    ...statusFields,
    players: z.array(profile),
    guests: z.array(guest).openapi({
      description:
        'Additive: of a host, the players who are not in the room: who waits, was refused or removed; and members of the network that have no player after 15 s.',
    }),
    connections,
    lastUpdate: z.string().openapi({ format: 'date-time' }),
  })
  .openapi('RoomStatus')

export type RoomStatus = z.infer<typeof statusRecord>
