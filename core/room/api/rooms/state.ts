import { z } from '@hono/zod-openapi'
import { connections } from '../../service/state/playerConnections'
import { guest, profile, type RoomView } from '../../service/state/roomView'
import { statusFields, toStatusReport } from '../../service/state/statusReport'
import { commandRoute, recordRoute } from '../http/roomRoute'
import { wait } from './joining'
import { stateRecord, toStateRecord } from './stateRecord'

export const stateRoute = recordRoute('/state', 'The state', stateRecord, 'none', ({ roomState }) =>
  toStateRecord(roomState.view()),
)

const statusRecord = z
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

/** The answer of `GET /room/status`: the room in detail, with its players and how they are connected. */
export type RoomStatus = z.infer<typeof statusRecord>

export const statusRoute = recordRoute(
  '/room/status',
  'The room in detail',
  statusRecord,
  'none',
  ({ roomState }) => toStatusRecord(roomState.view()),
)

export const stopRoute = commandRoute(
  '/room/stop',
  'Stop; answers when everything is closed',
  {},
  async (_given, { service, roomState }) => {
    const wasRunning = roomState.view().role !== null
    await service.stop()
    return wasRunning ? 'Stopped.' : 'Nothing was running.'
  },
)

export const idleRoute = recordRoute(
  '/state/ide',
  'Stop, as some launchers call it',
  stateRecord,
  { en: 'close or leave the room', zh: '关闭或退出房间' },
  async ({ service, roomState }) => {
    await service.stop()
    return toStateRecord(roomState.view())
  },
)

export const retryRoute = commandRoute(
  '/room/retry',
  'Run the failed attempt again',
  {
    body: z.object({ wait }).openapi('RetryOrder'),
    description:
      'With `wait`, a guest that is still looking for its host goes on looking until the room is open.',
  },
  ({ wait: waits }, { service }) =>
    service.retry(waits ?? undefined) ? 'Trying again.' : 'There is nothing to try again.',
)

/** The Room status record: the response of GET /room/status. */
export function toStatusRecord(view: RoomView): RoomStatus {
  const { url: _url, ...report } = toStatusReport(view)
  return {
    ...report,
    players: [...view.players],
    guests: [...view.guests],
    connections: [...view.connections],
    lastUpdate: new Date(view.changedAt).toISOString(),
  }
}
