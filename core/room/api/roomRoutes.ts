import { documentRoute } from './document'
import { asyncDocumentRoute } from './feed/asyncDocument'
import { feedRoute } from './feed/feed'
import type { RoomRoute } from './http/roomRoute'
import { doctorRoute } from './machine/doctor'
import { logRoute } from './machine/log'
import { metaRoute } from './machine/meta'
import { networkServersRoute } from './machine/network'
import { pageRoute } from './machine/page'
import { reportRoute } from './machine/report'
import { launcherRoute, nodesRoute, settingsRoute } from './machine/settings'
import { panicRoute, shutdownRoute } from './machine/shutdown'
import { gameServersRoute, gameStatusRoute, localServicesRoute } from './rooms/game'
import { admissionRoute, approveRoute, kickRoute, refuseRoute } from './rooms/guests'
import { hostGameRoute, hostPortsRoute } from './rooms/hostedRoom'
import { hostStartRoute, scanningRoute } from './rooms/hosting'
import { inviteRoute, readInvitationRoute } from './rooms/invitation'
import { guestingRoute, guestStartRoute } from './rooms/joining'
import { stateRoute, statusRoute } from './rooms/state'
import { idleRoute, retryRoute, stopRoute } from './rooms/stopping'

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
