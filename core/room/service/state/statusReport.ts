import { z } from '@hono/zod-openapi'
import { FAILURE_CODES, HINT_CODES } from '../../failure'
import { NUMBER_REASONS } from '../../localNumbers'
import {
  FRIEND_RELAY_STATES,
  friendRelayRecord,
  mappingRecord,
  type NetworkStatus,
} from '../../networkStatus'
import type { ShownPort } from '../../shownPort'
import { NOTICE_CODES } from './notices'
import { relayedBy } from './playerConnections'
import { type RoomView, role } from './roomView'
import { STAGES } from './stages'

const nodeRecord = z.object({
  url: z.string(),
  state: z.enum(['connecting', 'connected', 'failed']),
  latencyMs: z.number().nullable(),
  problem: z.string().nullable(),
})

const networkRecord = z.object({
  privacy: z.enum(['open', 'private']),
  nodes: z.array(nodeRecord),
  mappings: z.array(mappingRecord).openapi({
    description: 'Additive: ports that the router of this machine’s network has opened for it.',
  }),
  friendRelay: friendRelayRecord.nullable().openapi({
    description:
      'Additive: what this machine carries between other players of the room; null unless `friendRelay` or ROOM_FRIEND_RELAY asked for it.',
  }),
  path: z.enum(['direct', 'relay']).nullable().openapi({ description: 'Of a guest: the way to the host.' }),
  relayedBy,
  carrier: z.string().nullable().openapi({ description: 'The transport of that way.', example: 'udp' }),
  latencyMs: z.number().nullable(),
})

const why = z.enum(NUMBER_REASONS).optional()

const portRecord = z.object({
  name: z.string(),
  tcp: z.int().nullable().openapi({ description: 'At the host.' }),
  udp: z.int().nullable(),
  localTcp: z.int().nullable().openapi({ description: 'On this machine.' }),
  localUdp: z.int().nullable(),
  whyTcp: why.openapi({
    description:
      'Why `localTcp` is not `tcp`; left out where it is. `unasked`: no game needs this number; `keepPorts` allows it. `reserved`: no host gets it. `taken`: a program of this machine has it. `no-free-port`: no other one is free either.',
  }),
  whyUdp: why.openapi({ description: 'As `whyTcp`.' }),
})

/** The fields that a `status` message of the feed and the Room status record share. */
export const statusFields = {
  state: z.enum(STAGES).openapi({ example: 'Host_Running' }),
  role,
  error: z.string().nullable().openapi({ description: 'One sentence for the player.' }),
  roomCode: z.string().nullable(),
  private: z
    .boolean()
    .nullable()
    .openapi({ description: 'Additive: whether the room is private; null without a room.' }),
  approval: z.boolean().nullable().openapi({
    description: 'Additive: of a host, whether players wait until it answers, as it holds now; else null.',
  }),
  allowed: z.array(z.string()).nullable().openapi({
    description: 'Additive: of a host, the names and machine ids that are let in unasked; else null.',
  }),
  gamePort: z.int().openapi({ description: 'Port of the world on this machine; 0 while there is none.' }),
  errorCode: z.enum(FAILURE_CODES).nullable().openapi({ description: 'Stable, for programs.' }),
  stage: z.enum(STAGES).nullable().openapi({ description: 'Where it failed.' }),
  hint: z.string().nullable().openapi({ description: 'What a player can do.' }),
  hintCode: z
    .enum([...NOTICE_CODES, ...HINT_CODES])
    .nullable()
    .openapi({
      description:
        'Additive, for translations: which `hint` it is. That of a failure goes by `errorCode`, unless more is known of it: then `error`, too, is worded for this code.',
    }),
  network: networkRecord.nullable(),
  ports: z
    .array(portRecord)
    .openapi({ description: 'Additive: ports that the host shares beside the world’s.' }),
  keepPorts: z.array(z.int()).optional().openapi({
    description:
      'Additive, of a guest: numbers that its player allows the host on this machine, beside those that games use; left out where there are none.',
  }),
}

/** What a `status` message of the feed tells beside its type and index. */
export const statusReportFields = {
  ...statusFields,
  url: z.string().nullable().openapi({ description: 'Where the game of a guest connects.' }),
}

/** The room in detail, without its players and the time of the last change: what a `status` message of the feed tells. */
export type StatusReport = z.infer<z.ZodObject<typeof statusReportFields>>

/**
 * What the feed tells of a room.
 * @example const { state, error } = toStatusReport(roomState.view())
 */
export function toStatusReport(view: RoomView): StatusReport {
  const { failure } = view
  const notice = view.notice ?? view.warning
  return {
    state: view.stage,
    role: view.role,
    error: failure?.detail ?? null,
    roomCode: view.room,
    private: view.privacy && view.privacy === 'private',
    approval: view.admission?.needsApproval ?? null,
    allowed: view.admission ? [...view.admission.allowed] : null,
    gamePort: view.gamePort,
    url: view.url,
    errorCode: failure?.code ?? null,
    stage: failure?.stage ?? null,
    hint: failure?.hint ?? notice?.text ?? null,
    hintCode: failure ? (failure.hintCode ?? null) : (notice?.code ?? null),
    network: view.network && toNetworkReport(view.network),
    ports: view.ports.map(toPortReport),
    ...(view.keepPorts.length > 0 && { keepPorts: [...view.keepPorts] }),
  }
}

function toPortReport(port: ShownPort): StatusReport['ports'][number] {
  const { name, tcp, udp, localTcp, localUdp, whyTcp, whyUdp } = port
  return {
    name,
    tcp: tcp ?? null,
    udp: udp ?? null,
    localTcp: localTcp ?? null,
    localUdp: localUdp ?? null,
    ...(whyTcp && { whyTcp }),
    ...(whyUdp && { whyUdp }),
  }
}

function toNetworkReport({
  privacy,
  nodes,
  mappings,
  friendRelay,
  path,
}: NetworkStatus): StatusReport['network'] {
  return {
    privacy,
    nodes: nodes.map(({ url, state, latencyMs, problem }) => ({
      url,
      state,
      latencyMs: latencyMs ?? null,
      problem: problem ?? null,
    })),
    mappings: [...mappings],
    friendRelay: friendRelay ? { ...friendRelay, text: FRIEND_RELAY_STATES[friendRelay.state] } : null,
    path: path?.kind ?? null,
    relayedBy: path?.relayedBy ?? null,
    carrier: path?.transport ?? null,
    latencyMs: path?.latencyMs ?? null,
  }
}
