import { z } from '@hono/zod-openapi'
import { ServiceError } from '@lantern-room/base'
import { clientSignal } from '@lantern-room/base/http'
import type { SavedRoom } from '../../service/kept/savedRooms'
import { failure, WRONG_STATE } from '../http/contracts'
import { pathFields, playerName, port } from '../http/fields'
import {
  commandRoute,
  orderRoute,
  type RoomAppDependencies,
  type RoomRoute,
  recordRoute,
} from '../http/roomRoute'
import { hostBody, readHostRequest } from './hosting'
import { joinBody, readJoinRequest, wait } from './joining'

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
  const terms = { params, failures: { ...NOT_THERE, ...NOT_KEPT } }
  return commandRoute(`/room/saved/{id}/${change}`, summary, terms, async ({ id }, { savedRooms }) => {
    if (!(await savedRooms[change](id))) throw notThere()
    return done
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

export const checkSavedRoute = orderRoute(
  '/room/saved/{id}/check',
  'Additive: look, without joining it, whether the room of a guest is open now',
  z.object({ open: isOpen }).openapi('SavedRoomState'),
  {
    params,
    body: checkBody,
    description:
      'One room is searched at a time, for at most 10 s, and an answer holds for 15 s. The search ends when the client goes, or a room is opened or joined.',
    failures: { ...NOT_THERE, ...WRONG_STATE },
  },
  async ({ id, ...given }, dependencies, request) => {
    const order = read(joinBody, orderOf(await savedRoom(id, dependencies), given))
    const wanted = readJoinRequest(order, 'roomCode', dependencies)
    return { open: await dependencies.checkRoom({ ...wanted, signal: clientSignal(request) }) }
  },
)

const gamePort = port.nullish().openapi({ description: 'Of a host: the world.' })
const openBody = z.object({ playerName, gamePort, wait, ...pathFields }).openapi('SavedRoomOrder')

export const openSavedRoute = commandRoute(
  '/room/saved/{id}/open',
  'Additive: open a saved room with the same code, or join it, as its order said',
  { params, body: openBody, failures: { ...NOT_THERE, ...WRONG_STATE } },
  async ({ id, ...given }, dependencies) => {
    const { service, portGuard } = dependencies
    const room = await savedRoom(id, dependencies)
    const order = orderOf(room, given)
    if (room.role === 'host') {
      const request = readHostRequest(read(hostBody, order), dependencies)
      await portGuard.refuse({ gamePort: request.gamePort })
      service.host(request)
    } else service.join(readJoinRequest(read(joinBody, order), 'roomCode', dependencies))
    return 'The room is being opened or joined again.'
  },
)

/** What held for that time alone is left out: the world’s port, the launcher, the consents to another host and to its numbers. */
function orderOf({ order }: SavedRoom, given: z.infer<typeof openBody>): Record<string, unknown> {
  return {
    ...order,
    playerName: given.playerName ?? order.playerName,
    gamePort: given.gamePort,
    wait: given.wait,
    friendRelay: given.friendRelay ?? order.friendRelay,
    direct: given.direct ?? order.direct,
    launcherCustomString: undefined,
    keepPorts: undefined,
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
