import { z } from '@hono/zod-openapi'
import { configuredNodes, launcherCustomString } from '../http/fields'
import { commandRoute, type RoomAppDependencies, recordRoute } from '../http/roomRoute'

const NOW_OR_NEXT =
  'of the room that is hosted, as it holds now; else of the next one, where its order does not say.'

const settingsRecord = z
  .object({
    launcherCustomString: z.string().nullable(),
    scaffoldingPort: z.int(),
    heartbeatMs: z.int(),
    direct: z.boolean(),
    portMapping: z.boolean().openapi({ description: 'Additive: the router is asked to open ports.' }),
    friendRelay: z.boolean().openapi({
      description:
        'Additive: this machine carries for other players of a room, where its order does not say.',
    }),
    friendRelayBytesPerSecond: z.int().openapi({ description: 'Additive: the limit of that.' }),
    private: z.boolean().openapi({ description: `Whether the room is private: ${NOW_OR_NEXT}` }),
    approval: z
      .boolean()
      .openapi({ description: `Whether players wait until the host answers: ${NOW_OR_NEXT}` }),
    allowed: z.array(z.string()).openapi({ description: `Who is let in unasked: ${NOW_OR_NEXT}` }),
    nodes: z.array(z.string()).openapi({ description: 'Shared nodes of the next room.' }),
    nodesFrom: z.enum(['default', 'environment', 'client']).openapi({
      description:
        'Additive: where `nodes` come from: the program itself, `ROOM_NODES`, or `POST /config/nodes` in this run or an earlier one.',
    }),
    lanInterfaces: z.array(z.string()).nullable(),
    machineId: z.string().openapi({
      description:
        'Of this player, lasting. Other players see another one, which is derived from it for each room.',
    }),
    gameName: z.string().optional().openapi({
      description:
        'Additive: the name under which this user last played the game on this machine, to be proposed; left out where that is not known.',
    }),
  })
  .openapi('Settings')

/** The answer of `GET /config`: the settings as they hold now. `heartbeatMs` in milliseconds. */
export type SettingsRecord = z.infer<typeof settingsRecord>

export const settingsRoute = recordRoute(
  '/config',
  'Settings',
  settingsRecord,
  'none',
  async ({ settings, config, machineId, roomState, gameName }) => {
    const name = await gameName?.()
    const now = settingsNow({ settings, config, machineId, roomState })
    return name === undefined ? now : { ...now, gameName: name }
  },
)

function settingsNow({
  settings,
  config,
  machineId,
  roomState,
}: Pick<RoomAppDependencies, 'settings' | 'config' | 'machineId' | 'roomState'>): SettingsRecord {
  const { admission, privacy } = roomState.view()
  const { needsApproval, allowed } = admission ?? config.admission
  return {
    launcherCustomString: settings.launcherCustomString() ?? null,
    scaffoldingPort: config.scaffoldingPort,
    heartbeatMs: config.heartbeatMs,
    direct: config.isDirect,
    portMapping: config.mapsPorts,
    friendRelay: config.friendRelay,
    friendRelayBytesPerSecond: config.friendRelayBytesPerSecond,
    private: admission ? privacy === 'private' : config.isPrivate,
    approval: needsApproval,
    allowed: [...allowed],
    nodes: [...settings.nodes()],
    nodesFrom: settings.nodesFrom(),
    lanInterfaces: config.lanInterfaces ? [...config.lanInterfaces] : null,
    machineId,
  }
}

const launcherBody = z.object({ launcherCustomString }).openapi('LauncherChoice')

export const launcherRoute = commandRoute(
  '/config/launcher',
  'Set the launcher custom string',
  { body: launcherBody },
  (given, { settings }) => {
    settings.setLauncherCustomString(given.launcherCustomString)
    return 'The launcher custom string is set.'
  },
)

const nodesBody = z.object({ nodes: configuredNodes }).openapi('NodeChoice')

export const nodesRoute = commandRoute(
  '/config/nodes',
  'Set the shared nodes of the rooms from now on, also after a restart; null: the configured ones',
  { body: nodesBody, isRequired: true },
  async ({ nodes }, { settings }) => {
    await settings.setNodes(nodes ?? undefined)
    return 'The next room uses these shared nodes; a running one keeps its own.'
  },
)
