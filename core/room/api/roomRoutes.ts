import { asyncDocumentRoute, documentRoute } from './documents'
import { feedRoute } from './feed/feed'
import type { RoomRoute } from './http/roomRoute'
import { doctorRoute, logRoute, networkServersRoute, reportRoute } from './machine/diagnosis'
import { metaRoute, pageRoute, panicRoute, shutdownRoute } from './machine/program'
import { launcherRoute, nodesRoute, settingsRoute } from './machine/settings'
import { gameServersRoute, gameStatusRoute, localServicesRoute } from './rooms/game'
import { admissionRoute, approveRoute, kickRoute, refuseRoute } from './rooms/guests'
import { hostGameRoute, hostPortsRoute, hostStartRoute, scanningRoute } from './rooms/hosting'
import { inviteRoute, readInvitationRoute } from './rooms/invitation'
import { guestingRoute, guestPortsRoute, guestStartRoute } from './rooms/joining'
import { keptRoute, resumeRoute } from './rooms/resuming'
import { checkSavedRoute, forgetSavedRoute, openSavedRoute, restoreRoute, savedRoute } from './rooms/saved'
import { idleRoute, retryRoute, stateRoute, statusRoute, stopRoute } from './rooms/state'

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
  guestPortsRoute,
  inviteRoute,
  readInvitationRoute,
  admissionRoute,
  kickRoute,
  approveRoute,
  refuseRoute,
  stopRoute,
  idleRoute,
  retryRoute,
  keptRoute,
  resumeRoute,
  savedRoute,
  openSavedRoute,
  checkSavedRoute,
  forgetSavedRoute,
  restoreRoute,
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
