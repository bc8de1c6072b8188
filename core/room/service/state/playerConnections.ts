import { z } from '@hono/zod-openapi'
import { setNewest } from '@lantern-room/base/limits'
import type { Profile } from '@lantern-room/protocol'
import { type MemberLink, RELAY_REASON_CODES, RELAY_REASONS } from '../../networkStatus'

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

export const connections = z.array(connection).readonly().openapi({
  description:
    'Additive: of a host, each guest in the room or waiting; of a guest, the host. Measured every three seconds.',
})

/** How a player is connected with this machine, as clients see it. */
export type PlayerConnection = Readonly<z.infer<typeof connection>>

/**
 * The connections that a host shows: one for each player whose member is in the network, including those who wait.
 * @param playersOf machine ids of the players for whom a member speaks
 */
export function connectionsOfGuests(
  links: readonly MemberLink[],
  groupOf: (memberId: string) => number | null,
  playersOf: (memberId: string) => readonly string[],
): readonly PlayerConnection[] {
  return links.flatMap((link) =>
    playersOf(link.memberId).map((machineId) => toConnection(machineId, groupOf(link.memberId), link)),
  )
}

/** More than there are members. */
const MAX_GROUPS = 256

/** Numbers groups, because the host shows its page to others, who must not see addresses. */
export function createGroupNumbers(): (group: string | undefined) => number | null {
  const numbers = new Map<string, number>()
  let last = 0
  return (group) => {
    if (group === undefined) return null
    const number = numbers.get(group) ?? ++last
    setNewest(numbers, group, number, MAX_GROUPS)
    return number
  }
}

/** The connection that a guest shows: the one to the host, once the host's profile is known. */
export function connectionToHost(
  links: readonly MemberLink[],
  players: readonly Profile[],
): readonly PlayerConnection[] {
  const host = players.find(({ kind }) => kind === 'HOST')
  return host ? links.slice(0, 1).map((link) => toConnection(host.machineId, null, link)) : []
}

function toConnection(machineId: string, group: number | null, link: MemberLink): PlayerConnection {
  const { relayReason } = link
  return {
    machineId,
    group,
    path: link.path ?? null,
    carrier: link.transport ?? null,
    latencyMs: rounded(link.latencyMs, 10),
    loss: rounded(link.loss, 100),
    sentBytesPerSecond: rounded(link.sentPerSecond, 1),
    receivedBytesPerSecond: rounded(link.receivedPerSecond, 1),
    relayedBy: link.relayedBy ?? null,
    relayed: relayReason === undefined ? null : { code: relayReason, ...RELAY_REASONS[relayReason] },
  }
}

/** @param parts of one: 10 for one decimal place */
function rounded(value: number | undefined, parts: number): number | null {
  return value === undefined ? null : Math.round(value * parts) / parts
}
