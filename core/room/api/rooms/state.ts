import { z } from '@hono/zod-openapi'
import { connections } from '../../service/state/playerConnections'
import { guest, profile, type RoomView } from '../../service/state/roomView'
import { statusFields, toStatusReport } from '../../service/state/statusReport'
import { commandContract, message, plainContract } from '../http/contracts'
import { getRoute, postRoute } from '../http/roomRoute'
import { wait } from './joining'
import { stateRecord, toStateRecord } from './stateRecord'

const stateContract = plainContract('get', '/state', 'The state', stateRecord)

export const stateRoute = getRoute(stateContract, 'none', (context, { roomState }) =>
  context.json(toStateRecord(roomState.view()), 200),
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

export type RoomStatus = z.infer<typeof statusRecord>

const statusContract = plainContract('get', '/room/status', 'The room in detail', statusRecord)

export const statusRoute = getRoute(statusContract, 'none', (context, { roomState }) =>
  context.json(toStatusRecord(roomState.view()), 200),
)

const stopContract = plainContract('post', '/room/stop', 'Stop; answers when everything is closed', message)

export const stopRoute = postRoute(stopContract, async (context, { service, roomState }) => {
  const wasRunning = roomState.view().role !== null
  await service.stop()
  return context.json({ message: wasRunning ? 'Stopped.' : 'Nothing was running.' }, 200)
})

const idleContract = plainContract('get', '/state/ide', 'Stop, as some launchers call it', stateRecord)

export const idleRoute = getRoute(
  idleContract,
  { en: 'close or leave the room', zh: '关闭或退出房间' },
  async (context, { service, roomState }) => {
    await service.stop()
    return context.json(toStateRecord(roomState.view()), 200)
  },
)

const retryContract = commandContract(
  '/room/retry',
  'Run the failed attempt again',
  { schema: z.object({ wait }).openapi('RetryOrder'), required: false },
  {},
)

export const retryRoute = postRoute(retryContract, (context, { service }) => {
  const hasStarted = service.retry(context.req.valid('json').wait ?? undefined)
  return context.json({ message: hasStarted ? 'Trying again.' : 'There is nothing to try again.' }, 200)
})

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
