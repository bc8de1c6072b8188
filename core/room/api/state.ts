import { z } from '@hono/zod-openapi'
import type { RoomView } from '../service/roomState'
import { plainContract } from './contracts'
import type { RoomRoute } from './roomRoute'
import { profile, role, stateRecord, toStateRecord } from './stateRecord'

const stateContract = plainContract('get', '/state', 'The state', stateRecord)

export const stateRoute: RoomRoute = {
  contract: stateContract,
  register(app, { roomState }) {
    app.openapi(stateContract, (context) => context.json(toStateRecord(roomState.view()), 200))
  },
}

const statusRecord = z
  .object({
    state: z.string().openapi({ example: 'Host_Running' }),
    role,
    error: z.string().nullable(),
    roomCode: z.string().nullable(),
    players: z.array(profile),
    gamePort: z.int().openapi({ description: 'Port of the world on this machine; 0 while there is none.' }),
    lastUpdate: z.string().openapi({ format: 'date-time' }),
    errorCode: z.string().nullable(),
    stage: z.string().nullable().openapi({ description: 'Where it failed.' }),
    hint: z.string().nullable().openapi({ description: 'What a player can do.' }),
    network: z
      .object({
        privacy: z.enum(['open', 'private']),
        nodes: z.array(
          z.object({
            url: z.string(),
            state: z.enum(['connecting', 'connected', 'failed']),
            latencyMs: z.number().nullable(),
            problem: z.string().nullable(),
          }),
        ),
        path: z.string().nullable().openapi({ description: '`direct` or `relay`.' }),
        carrier: z.string().nullable(),
        latencyMs: z.number().nullable(),
      })
      .nullable(),
  })
  .openapi('RoomStatus')

const statusContract = plainContract('get', '/room/status', 'The room in detail', statusRecord)

export const statusRoute: RoomRoute = {
  contract: statusContract,
  register(app, { roomState }) {
    app.openapi(statusContract, (context) => context.json(toStatusRecord(roomState.view()), 200))
  },
}

/** The Room status record: the response of GET /room/status. */
export function toStatusRecord(view: RoomView): z.infer<typeof statusRecord> {
  const { failure, network } = view
  return {
    state: view.stage,
    role: view.role,
    error: failure?.detail ?? null,
    roomCode: view.room,
    players: [...view.players],
    gamePort: view.gamePort,
    lastUpdate: new Date(view.changedAt).toISOString(),
    errorCode: failure?.code ?? null,
    stage: failure?.stage ?? null,
    hint: failure?.hint ?? view.notice,
    network: network && {
      privacy: network.privacy,
      nodes: network.nodes.map(({ url, state, latencyMs, problem }) => ({
        url,
        state,
        latencyMs: latencyMs ?? null,
        problem: problem ?? null,
      })),
      path: network.path?.kind ?? null,
      carrier: network.path?.transport ?? null,
      latencyMs: network.path?.latencyMs ?? null,
    },
  }
}
