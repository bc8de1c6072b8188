import { z } from '@hono/zod-openapi'
import { DEFAULT_NAME } from '@lantern-room/protocol'
import type { JoinRequest } from '../../service/joining/joining'
import { WRONG_STATE } from '../http/contracts'
import {
  flag,
  keepPorts,
  launcherCustomString,
  localPort,
  nodes,
  pathFields,
  playerName,
  publicNodes,
  readInvited,
  readPlayerName,
  resume,
  roomCode,
} from '../http/fields'
import { commandRoute, type RoomAppDependencies, recordRoute } from '../http/roomRoute'
import { launcherOf } from './hosting'
import { stateRecord, toStateRecord } from './stateRecord'

export const guestingRoute = recordRoute(
  '/state/guesting',
  'Join a room',
  stateRecord,
  { en: 'have this computer join a room', zh: '让这台电脑加入一个房间' },
  (dependencies, { player, room, public_nodes: nodes }) => {
    joinRoom({ playerName: player, roomCode: room, nodes }, 'room', dependencies)
    return toStateRecord(dependencies.roomState.view())
  },
  {
    params: z.object({ room: roomCode, player: playerName, public_nodes: publicNodes }),
    failures: WRONG_STATE,
  },
)

export const wait = flag(
  'Additive: true waits while nobody hosts the room, and for 12 h when the host is away later, and goes in by itself; default false.',
)

const acceptNewHost = flag(
  'Additive: true joins a private room also when another host answers than at an earlier join, and remembers that one; default false.',
)

export const joinBody = z
  .object({
    roomCode,
    playerName,
    launcherCustomString,
    nodes,
    wait,
    keepPorts: keepPorts.nullish(),
    localPort,
    ...pathFields,
    resume,
    acceptNewHost,
  })
  .openapi('GuestOrder')

export const guestStartRoute = commandRoute(
  '/room/guest/start',
  'Join a room',
  { body: joinBody, isRequired: true, failures: WRONG_STATE },
  (body, dependencies) => {
    joinRoom(body, 'roomCode', dependencies)
    return 'The room is being joined; GET /room/status shows its progress.'
  },
)

const keptPortsBody = z.object({ keepPorts }).openapi('KeptPorts')

export const guestPortsRoute = commandRoute(
  '/room/guest/ports',
  'Additive: choose which ports of the host get its number on this machine, in place of those before',
  { body: keptPortsBody, isRequired: true, failures: WRONG_STATE },
  ({ keepPorts: ports }, { service }) => {
    service.keepPorts(ports)
    return 'The ports are opened anew at once; GET /room/status shows where.'
  },
)

/**
 * Joins a room as this order says; it goes on in the background.
 * @param codeField what the client calls the room code, for the error
 * @throws ServiceError `invalid-request` for a field that cannot be used, `conflict` while a role runs
 */
export function joinRoom(
  given: z.infer<typeof joinBody>,
  codeField: string,
  { service, settings }: Pick<RoomAppDependencies, 'settings' | 'service'>,
): void {
  service.join(readJoinRequest(given, codeField, { settings }))
  if (given.launcherCustomString) settings.setLauncherCustomString(given.launcherCustomString)
}

/** Fills in the defaults. @throws ServiceError `invalid-request` */
export function readJoinRequest(
  given: z.infer<typeof joinBody>,
  codeField: string,
  { settings }: Pick<RoomAppDependencies, 'settings'>,
): JoinRequest {
  const { room, nodes, hostKey } = readInvited(given.roomCode, codeField)
  return {
    room,
    hostKey,
    acceptsNewHost: given.acceptNewHost ?? false,
    waits: given.wait ?? false,
    playerName: readPlayerName(given.playerName, DEFAULT_NAME.guest),
    vendor: settings.vendor(given.launcherCustomString),
    nodes: given.nodes ?? [],
    invitedNodes: nodes,
    keepPorts: given.keepPorts ?? [],
    localPort: given.localPort ?? undefined,
    friendRelay: given.friendRelay ?? undefined,
    direct: given.direct ?? undefined,
    kept: given.resume
      ? { role: 'guest', order: { ...given, launcherCustomString: launcherOf(given, settings) } }
      : undefined,
  }
}
