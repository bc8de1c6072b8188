import { createRoute, z } from '@hono/zod-openapi'
import { ServiceError } from '#core/errors'
import { clientSignal } from '#core/http/client'
import type { SavedRoom } from '../../service/kept/savedRooms'
import {
  BAD_BODY,
  BAD_INPUT,
  failure,
  json,
  message,
  responses,
  SECURITY,
  WRONG_STATE,
} from '../http/contracts'
import { pathFields, playerName, port } from '../http/fields'
import { postRoute, type RoomAppDependencies, type RoomRoute, recordRoute } from '../http/roomRoute'
import { hostBody, readHostRequest } from './hosting'
import { joinBody, readJoinRequest, wait } from './joining'
import { portsOf } from './orderedPorts'

const savedRecord = z
  .object({
    id: z.string(),
    role: z.enum(['host', 'guest']),
    roomCode: z.string(),
    name: z.string().nullable().openapi({ description: 'The world’s for a host, the host’s for a guest.' }),
    lastOpen: z.string().openapi({ format: 'date-time' }),
  })
  .openapi('SavedRoom')

export const savedRoute = recordRoute(
  '/room/saved',
  'Additive: the last rooms whose orders said `resume`, the newest first',
  z
    .object({
      rooms: z.array(savedRecord),
      damaged: z.int().openapi({ description: 'Records that cannot be read, and are left out.' }),
    })
    .openapi('SavedRooms'),
  'none',
  async ({ savedRooms }) => {
    const { rooms, damaged } = await savedRooms.list()
    const shown = rooms.map(({ order: _order, at, ...room }) => ({
      ...room,
      lastOpen: new Date(at).toISOString(),
    }))
    return { rooms: shown, damaged }
  },
)

const params = z.object({
  id: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be the id of a saved room')
    .openapi({ param: { name: 'id', in: 'path' }, description: 'The id of a room in GET /room/saved.' }),
})
const NOT_THERE = { 404: failure('There is no such room.') }
const NOT_KEPT = { 503: failure('The list of rooms cannot be written.') }

function changeRoute(change: 'forget' | 'restore', summary: string, done: string): RoomRoute {
  const contract = createRoute({
    method: 'post',
    path: `/room/saved/{id}/${change}`,
    summary,
    security: SECURITY,
    request: { params },
    responses: responses(message, { ...BAD_INPUT, ...NOT_THERE, ...NOT_KEPT }),
  })
  return postRoute(contract, async (context, { savedRooms }) => {
    if (!(await savedRooms[change](context.req.valid('param').id))) throw notThere()
    return context.json({ message: done }, 200)
  })
}

export const forgetSavedRoute = changeRoute('forget', 'Additive: forget a saved room', 'Forgotten.')

export const restoreRoute = changeRoute(
  'restore',
  'Additive: put a forgotten room back to its place, until another one is opened or joined',
  'It is in the list again.',
)

const checkBody = z.object({ direct: pathFields.direct }).openapi('SavedRoomCheck')
const isOpen = z.boolean().openapi({ description: 'False: nobody hosts it, or that is unknown.' })

const checkContract = createRoute({
  method: 'post',
  path: '/room/saved/{id}/check',
  summary: 'Additive: look, without joining it, whether the room of a guest is open now',
  description:
    'One room is searched at a time, for at most 10 s, and an answer holds for 15 s. The search ends when the client goes, or a room is opened or joined.',
  security: SECURITY,
  request: { params, body: { required: false, content: json(checkBody) } },
  responses: responses(z.object({ open: isOpen }).openapi('SavedRoomState'), {
    ...BAD_BODY,
    ...NOT_THERE,
    ...WRONG_STATE,
  }),
})

export const checkSavedRoute = postRoute(checkContract, async (context, dependencies) => {
  const room = await savedRoom(context.req.valid('param').id, dependencies)
  const order = read(joinBody, orderOf(room, context.req.valid('json')))
  const wanted = readJoinRequest(order, 'roomCode', dependencies)
  const open = await dependencies.checkRoom({ ...wanted, signal: clientSignal(context.req.raw) })
  return context.json({ open }, 200)
})

const gamePort = port.nullish().openapi({ description: 'Of a host: the world.' })
const openBody = z.object({ playerName, gamePort, wait, ...pathFields }).openapi('SavedRoomOrder')

const openContract = createRoute({
  method: 'post',
  path: '/room/saved/{id}/open',
  summary: 'Additive: open a saved room with the same code, or join it, as its order said',
  security: SECURITY,
  request: { params, body: { required: false, content: json(openBody) } },
  responses: responses(message, { ...BAD_BODY, ...NOT_THERE, ...WRONG_STATE }),
})

export const openSavedRoute = postRoute(openContract, async (context, dependencies) => {
  const { service, portGuard } = dependencies
  const room = await savedRoom(context.req.valid('param').id, dependencies)
  const order = orderOf(room, context.req.valid('json'))
  if (room.role === 'host') {
    const request = readHostRequest(read(hostBody, order), dependencies)
    await portGuard.refuse(portsOf({ gamePort: request.gamePort }))
    service.host(request)
  } else service.join(readJoinRequest(read(joinBody, order), 'roomCode', dependencies))
  return context.json({ message: 'The room is being opened or joined again.' }, 200)
})

/** What held for that time alone is left out: the world’s port, the launcher, a consent to another host. */
function orderOf({ order }: SavedRoom, given: z.infer<typeof openBody>): Record<string, unknown> {
  return {
    ...order,
    playerName: given.playerName ?? order.playerName,
    gamePort: given.gamePort,
    wait: given.wait,
    friendRelay: given.friendRelay ?? order.friendRelay,
    direct: given.direct ?? order.direct,
    launcherCustomString: undefined,
    acceptNewHost: undefined,
  }
}

/** @throws ServiceError `not-found` for an order of another version, or a damaged one */
function read<S extends z.ZodType>(body: S, order: unknown): z.infer<S> {
  const { data, success } = body.safeParse(order)
  if (success) return data
  throw notThere()
}

/** @throws ServiceError `not-found` */
async function savedRoom(id: string, { savedRooms }: RoomAppDependencies): Promise<SavedRoom> {
  const room = (await savedRooms.list()).rooms.find((one) => one.id === id)
  if (room) return room
  throw notThere()
}

function notThere(): ServiceError {
  return new ServiceError(
    'not-found',
    'There is no such saved room, or it is damaged: GET /room/saved lists all.',
  )
}
