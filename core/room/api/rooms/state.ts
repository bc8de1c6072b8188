import type { z } from '@hono/zod-openapi'
import type { RoomView } from '../../service/state/roomView'
import { toStatusReport } from '../../service/state/statusReport'
import { plainContract } from '../http/contracts'
import type { RoomRoute } from '../http/roomRoute'
import { stateRecord, toStateRecord } from './stateRecord'
import { statusRecord } from './statusRecord'

const stateContract = plainContract('get', '/state', 'The state', stateRecord)

export const stateRoute: RoomRoute = {
  contract: stateContract,
  effect: 'none',
  register(app, { roomState }) {
    app.openapi(stateContract, (context) => context.json(toStateRecord(roomState.view()), 200))
  },
}

const statusContract = plainContract('get', '/room/status', 'The room in detail', statusRecord)

export const statusRoute: RoomRoute = {
  contract: statusContract,
  effect: 'none',
  register(app, { roomState }) {
    app.openapi(statusContract, (context) => context.json(toStatusRecord(roomState.view()), 200))
  },
}

/** The Room status record: the response of GET /room/status. */
export function toStatusRecord(view: RoomView): z.infer<typeof statusRecord> {
  const { url: _url, ...report } = toStatusReport(view)
  return {
    ...report,
    players: [...view.players],
    guests: [...view.guests],
    connections: [...view.connections],
    lastUpdate: new Date(view.changedAt).toISOString(),
  }
}
