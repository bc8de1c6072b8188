import { z } from '@hono/zod-openapi'
import { ServiceError } from '@lantern-room/base'
import {
  DEFAULT_NAME,
  generatePrivateRoomCode,
  generateRoomCode,
  type RoomCode,
} from '@lantern-room/protocol'
import type { HostRequest } from '../../service/hosting/hostRequest'
import type { Settings } from '../../service/kept/settings'
import { WRONG_STATE } from '../http/contracts'
import {
  extraPorts,
  flag,
  launcherCustomString,
  nodes,
  PORT_RULE,
  pathFields,
  playerName,
  port,
  publicNodes,
  readInvited,
  readPlayerName,
  resume,
  roomCode,
  ruleOrOnce,
  scaffoldingPort,
} from '../http/fields'
import { commandRoute, type RoomAppDependencies, recordRoute } from '../http/roomRoute'
import { admissionFields, readPolicy } from './admissionFields'
import { stateRecord, toStateRecord } from './stateRecord'

const GAME_PORT =
  'Additive: host the world on this port, which need not answer a ping. A port of this service, or of another one on this machine, is 400.'

const portText = z
  .string({ error: ruleOrOnce(PORT_RULE) })
  .regex(/^\d{1,5}$/, PORT_RULE)
  .transform(Number)
  .refine((number) => number >= 1 && number <= 65_535, PORT_RULE)
  .openapi({ type: 'integer', minimum: 1, maximum: 65_535 })

export const scanningRoute = recordRoute(
  '/state/scanning',
  'Host a room',
  stateRecord,
  { en: 'open a room on this computer', zh: '在这台电脑上创建房间' },
  async (dependencies, { player, public_nodes: nodes, ...given }) => {
    await hostRoom({ ...given, playerName: player, nodes }, dependencies)
    return toStateRecord(dependencies.roomState.view())
  },
  {
    params: z.object({
      player: playerName,
      room: roomCode.optional().openapi({ description: 'Additive: a valid code to host with.' }),
      gamePort: portText.optional().openapi({ description: GAME_PORT }),
      public_nodes: publicNodes,
    }),
    elsewhere: {
      fields: ['private', 'approval', 'allowed'],
      operation: 'POST /room/host/start, which opens a room with rules',
    },
    failures: WRONG_STATE,
  },
)

export const hostBody = z
  .object({
    scaffoldingPort: scaffoldingPort
      .nullish()
      .openapi({ description: 'Port of the room protocol; default 13448.' }),
    playerName,
    launcherCustomString,
    room: roomCode.nullish().openapi({ description: 'Additive: a valid code to host with.' }),
    gamePort: port.nullish().openapi({ description: GAME_PORT }),
    waitForGame: flag('Additive: false opens the room before there is a world; default true.'),
    private: flag(
      'Additive: a new code of this kind; only this software can join a private room. With `room` it must say the same as the code, or be left out.',
    ),
    nodes,
    ports: extraPorts.nullish(),
    ...pathFields,
    resume,
    ...admissionFields,
  })
  .openapi('HostOrder')

export const hostStartRoute = commandRoute(
  '/room/host/start',
  'Host a room',
  { body: hostBody, failures: WRONG_STATE },
  async (body, dependencies) => {
    await hostRoom(body, dependencies)
    return 'The room is being opened; GET /room/status shows its progress.'
  },
)

const gameBody = z.object({ gamePort: port }).openapi('GameChoice')

export const hostGameRoute = commandRoute(
  '/room/host/game',
  'Choose or change the world while scanning or hosting',
  { body: gameBody, isRequired: true, failures: WRONG_STATE },
  async ({ gamePort }, { service, portGuard }) => {
    await portGuard.refuse({ gamePort })
    service.chooseGame(gamePort)
    return `The world on port ${gamePort} is used as soon as it answers.`
  },
)

const portsBody = z.object({ ports: extraPorts }).openapi('PortChoice')

export const hostPortsRoute = commandRoute(
  '/room/host/ports',
  'Replace the extra ports of the hosted room',
  { body: portsBody, isRequired: true, failures: WRONG_STATE },
  async ({ ports }, { service, portGuard }) => {
    await portGuard.refuse({ extraPorts: ports })
    service.shareOnly(ports)
    return 'The guests get these ports within seconds.'
  },
)

/**
 * Opens a room as this order says; it goes on in the background.
 * @param isPatient whether the caller may wait a second for what has the ports
 * @throws ServiceError `invalid-request` for a field or a port that cannot be used, `conflict` while a role runs
 */
export async function hostRoom(
  given: z.infer<typeof hostBody>,
  dependencies: Pick<RoomAppDependencies, 'config' | 'settings' | 'portGuard' | 'service'>,
  isPatient = false,
): Promise<void> {
  const { settings, portGuard, service } = dependencies
  const request = readHostRequest(given, dependencies)
  await portGuard.refuse(request, isPatient)
  service.host(request)
  if (given.launcherCustomString) settings.setLauncherCustomString(given.launcherCustomString)
}

/** Fills in the defaults. @throws ServiceError `invalid-request` */
export function readHostRequest(
  given: z.infer<typeof hostBody>,
  { config, settings }: Pick<RoomAppDependencies, 'config' | 'settings'>,
): HostRequest {
  const room = given.room
    ? readGivenCode(given.room, given.private)
    : newCode(given.private ?? config.isPrivate)
  return {
    room,
    playerName: readPlayerName(given.playerName, DEFAULT_NAME.host),
    vendor: settings.vendor(given.launcherCustomString),
    scaffoldingPort: given.scaffoldingPort ?? config.scaffoldingPort,
    gamePort: given.gamePort ?? undefined,
    waitForGame: given.waitForGame ?? true,
    nodes: given.nodes ?? [],
    extraPorts: given.ports ?? [],
    friendRelay: given.friendRelay ?? undefined,
    direct: given.direct ?? undefined,
    admission: readPolicy(given, config.admission),
    kept: given.resume
      ? {
          role: 'host',
          order: { ...given, room: room.text, launcherCustomString: launcherOf(given, settings) },
        }
      : undefined,
  }
}

/** The launcher's name as it is now, for orders that are given again. */
export function launcherOf(
  given: { readonly launcherCustomString?: string | null | undefined },
  settings: Settings,
): string | null {
  return given.launcherCustomString || settings.launcherCustomString() || null
}

function newCode(isPrivate: boolean): RoomCode {
  return isPrivate ? generatePrivateRoomCode() : generateRoomCode()
}

function readGivenCode(text: string, isPrivate: boolean | null | undefined): RoomCode {
  const { room: code } = readInvited(text, 'room')
  const isPrivateCode = code.privacy === 'private'
  if ((isPrivate ?? isPrivateCode) === isPrivateCode) return code
  throw new ServiceError(
    'invalid-request',
    `private: room is the code of ${isPrivateCode ? 'a private' : 'an open'} room; leave one of the two out.`,
  )
}
