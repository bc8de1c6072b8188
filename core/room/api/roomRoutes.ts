import { asyncDocumentRoute } from './asyncDocument'
import { doctorRoute } from './doctor'
import { documentRoute } from './document'
import { feedRoute } from './feed'
import { gameServersRoute, gameStatusRoute, localServicesRoute } from './game'
import { admissionRoute, approveRoute, kickRoute, refuseRoute } from './guests'
import { hostGameRoute, hostPortsRoute } from './hostedRoom'
import { hostStartRoute, scanningRoute } from './hosting'
import { inviteRoute, readInvitationRoute } from './invitation'
import { guestingRoute, guestStartRoute } from './joining'
import { logRoute } from './log'
import { metaRoute } from './meta'
import { networkServersRoute } from './network'
import { pageRoute } from './page'
import { reportRoute } from './report'
import type { RoomRoute } from './roomRoute'
import { launcherRoute, nodesRoute, settingsRoute } from './settings'
import { panicRoute, shutdownRoute } from './shutdown'
import { stateRoute, statusRoute } from './state'
import { idleRoute, retryRoute, stopRoute } from './stopping'

/** Every route of the room service, in the order of the OpenAPI document. */
export const ROOM_ROUTES: readonly RoomRoute[] = [
  metaRoute,
  stateRoute,
  statusRoute,
  scanningRoute,
  guestingRoute,
  hostStartRoute,
  guestStartRoute,
  hostGameRoute,
  hostPortsRoute,
  inviteRoute,
  readInvitationRoute,
  admissionRoute,
  kickRoute,
  approveRoute,
  refuseRoute,
  stopRoute,
  idleRoute,
  retryRoute,
  gameServersRoute,
  gameStatusRoute,
  localServicesRoute,
  settingsRoute,
  launcherRoute,
  nodesRoute,
  networkServersRoute,
  shutdownRoute,
  panicRoute,
  logRoute,
  doctorRoute,
  reportRoute,
  feedRoute,
  documentRoute,
  asyncDocumentRoute,
  pageRoute,
]
