import { z } from '@hono/zod-openapi'
import { RELAY_REASON_CODES } from '../../networkStatus'

export const relayedBy = z.enum(['node', 'friend']).nullable().openapi({
  description:
    'Additive: who carries the path `relay`, a shared node or another player of the room; null for other paths.',
})

/** How a player is connected with this machine. */
export const connection = z
  .object({
    machineId: z.string().openapi({
      description:
        'Of the player; 32 hexadecimal characters. Of a member without a player its id in `guests`.',
    }),
    group: z.int().nullable().openapi({
      description: 'Of a host: players with the same number come from one address, or through one relay.',
    }),
    path: z
      .enum(['direct', 'lan', 'relay'])
      .nullable()
      .openapi({ description: '`lan` is direct, within the same local network.' }),
    carrier: z.string().nullable().openapi({ description: 'The transport.', example: 'udp' }),
    latencyMs: z.number().nullable().openapi({ description: 'Round trip, from end to end.' }),
    loss: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .openapi({ description: 'Share of the probes of the last minute without an answer.' }),
    sentBytesPerSecond: z.int().nullable(),
    receivedBytesPerSecond: z.int().nullable(),
    relayedBy,
    relayed: z
      .object({
        code: z.enum(RELAY_REASON_CODES).openapi({ description: 'Stable, for programs.' }),
        text: z.string().openapi({ description: 'Why it is relayed, one sentence.' }),
        hint: z.string().openapi({ description: 'What would change that, one sentence.' }),
      })
      .nullable()
      .openapi({ description: 'null unless the path is `relay`.' }),
  })
  .openapi('Connection')

export const connections = z.array(connection).openapi({
  description:
    'Additive: of a host, each guest in the room or waiting; of a guest, the host. Measured every three seconds.',
})
